"""``tf.lookup.experimental``: a table that changes."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
