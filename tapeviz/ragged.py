"""``tf.ragged``: rows of different lengths."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
