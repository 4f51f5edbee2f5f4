"""``tf.keras.saving``: models in files, and objects as configs."""

from tapeviz.namespace import attach

attach(__name__)
