"""``tf.data.experimental``, which is the same in TensorFlow 2."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
