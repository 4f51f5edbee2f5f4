"""``tf.keras``: layers, models, losses, metrics, optimizers, callbacks and datasets."""

from tapeviz.namespace import attach

attach(__name__)
