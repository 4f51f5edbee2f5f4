"""``tf.bitwise``: arithmetic with the bits of integers."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
