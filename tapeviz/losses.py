"""``tf.losses``: those of Keras."""

from tapeviz.namespace import attach

attach(__name__)
