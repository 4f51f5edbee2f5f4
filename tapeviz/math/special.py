"""``tf.math.special``: functions that have names because they come up."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
