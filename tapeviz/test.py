"""``tf.test``: what tests of programs ask."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
