"""``tf.version``: the version of TensorFlow whose API this is."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
