"""``tf.keras.preprocessing.image``: pictures as arrays."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
