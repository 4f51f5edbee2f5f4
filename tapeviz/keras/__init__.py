"""``tf.keras``: layers, models, losses, metrics, optimizers, callbacks and datasets."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
