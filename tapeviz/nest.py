"""``tf.nest``: nested structures of values."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
