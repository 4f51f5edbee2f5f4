"""``tf.math.special``: functions that have names because they come up."""

from tapeviz.namespace import attach

attach(__name__)
