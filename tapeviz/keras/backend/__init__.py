"""``tf.keras.backend``: settings that all layers share."""

from tapeviz.namespace import attach

attach(__name__)
