"""``tf.keras.preprocessing``: pictures and sequences as arrays."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
