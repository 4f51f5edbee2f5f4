"""``tf.keras``: layers, models, losses, metrics, optimizers, callbacks and datasets."""

from tapeviz.namespaces.lazy import attach

__version__ = "3.0.0"  # the level of Keras' API

attach(__name__, "__version__")
