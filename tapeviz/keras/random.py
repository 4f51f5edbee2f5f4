"""``tf.keras.random``: random numbers, by Keras 3's names."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
