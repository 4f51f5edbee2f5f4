"""``tf.keras.layers``."""

from tapeviz.namespace import attach

attach(__name__)
