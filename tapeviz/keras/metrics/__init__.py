"""``tf.keras.metrics``, which is ``tf.metrics`` too."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
