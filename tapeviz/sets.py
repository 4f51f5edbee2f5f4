"""``tf.sets``: the last axis of a tensor as a set, row by row."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
