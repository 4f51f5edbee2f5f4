"""``tf.initializers``: those of Keras."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
