"""``tf.keras.preprocessing.sequence``: sequences as arrays."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
