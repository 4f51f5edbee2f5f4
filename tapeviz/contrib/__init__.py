"""``tf.contrib``: what came with TensorFlow as it became eager, under the names that it had there."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
