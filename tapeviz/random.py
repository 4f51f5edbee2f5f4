"""``tf.random``: random numbers that can be had again."""

from tapeviz.namespace import attach

attach(__name__)
