"""``tf.keras.models``: models of layers."""

from tapeviz.namespace import attach

attach(__name__)
