"""``tf.test``: what tests of programs ask."""

from tapeviz.namespace import attach

attach(__name__)
