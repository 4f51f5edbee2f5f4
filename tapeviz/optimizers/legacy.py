"""``tf.optimizers.legacy``: the optimizers, by the place that they had in Keras 2."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
