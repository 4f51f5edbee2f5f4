"""``tf.data``: datasets, and iterators for sessions."""

from tapeviz.namespace import attach

attach(__name__)
