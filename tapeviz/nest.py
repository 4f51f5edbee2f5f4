"""``tf.nest``: nested structures of values."""

from tapeviz.namespace import attach

attach(__name__)
