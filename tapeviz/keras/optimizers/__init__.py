"""``tf.keras.optimizers``."""

from tapeviz.namespace import attach

attach(__name__)
