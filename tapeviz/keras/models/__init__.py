"""``tf.keras.models``: models of layers."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
