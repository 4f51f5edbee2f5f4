"""``tf.experimental``: what TensorFlow keeps there."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
