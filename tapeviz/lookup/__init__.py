"""``tf.lookup``: tables of keys and values."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
