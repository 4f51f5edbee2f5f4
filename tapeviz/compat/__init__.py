"""``tf.compat``: programs written for earlier TensorFlow."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
