"""``tf.data``: datasets, and iterators for sessions."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
