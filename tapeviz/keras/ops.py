"""``tf.keras.ops``: Keras 3's functions, by tapeviz' own."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
