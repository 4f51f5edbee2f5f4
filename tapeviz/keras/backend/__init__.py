"""``tf.keras.backend``: settings that all layers share."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
