"""``tf.math``: elementwise mathematics, comparisons, logic and reductions."""

from tapeviz.namespace import attach

attach(__name__)
