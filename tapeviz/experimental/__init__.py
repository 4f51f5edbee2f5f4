"""``tf.experimental``: what TensorFlow keeps there."""

from tapeviz.namespace import attach

attach(__name__)
