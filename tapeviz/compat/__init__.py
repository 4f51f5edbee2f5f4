"""``tf.compat``: programs written for earlier TensorFlow."""

from tapeviz.namespace import attach

attach(__name__)
