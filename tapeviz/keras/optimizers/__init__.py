"""``tf.keras.optimizers``."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
