"""``tf.data``: pipelines of data."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
