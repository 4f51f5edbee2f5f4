"""``tf.keras.saving``: models in files, and objects as configs."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
