"""``tf.keras.utils``: objects as configs, and what else programs with layers need."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
