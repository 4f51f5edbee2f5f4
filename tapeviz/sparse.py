"""``tf.sparse``: the elements that are not 0, each with its place."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
