"""``tf.debugging``: checks that raise, and say what they found."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
