"""``tf.compat.v2``: TensorFlow 2 by that name."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
