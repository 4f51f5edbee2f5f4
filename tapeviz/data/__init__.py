"""``tf.data``: pipelines of data."""

from tapeviz.namespace import attach

attach(__name__)
