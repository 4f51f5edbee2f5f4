"""``tf.losses`` of TensorFlow 1: losses of a step, which add themselves to a collection of the graph."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
