"""``tf.keras.datasets``: data to try models on. ``digits`` needs no network."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
