"""``tf.keras.datasets``: data to try models on. ``digits`` needs no network."""

from tapeviz.namespace import attach

attach(__name__)
