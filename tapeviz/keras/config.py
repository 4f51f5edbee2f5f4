"""``tf.keras.config``: what holds for all layers."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
