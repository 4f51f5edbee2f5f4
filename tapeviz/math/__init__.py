"""``tf.math``: elementwise mathematics, comparisons, logic and reductions."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
