"""``tf.nn``: convolutions, activations, losses and what else networks are made of."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
