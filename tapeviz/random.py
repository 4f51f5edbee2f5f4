"""``tf.random``: random numbers that can be had again."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
