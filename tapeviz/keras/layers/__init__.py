"""``tf.keras.layers``."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
