"""``tf.bitwise``: arithmetic with the bits of integers."""

from tapeviz.namespace import attach

attach(__name__)
