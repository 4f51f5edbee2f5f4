"""``tf.nn``: convolutions, activations, losses and what else networks are made of."""

from tapeviz.namespace import attach

attach(__name__)
