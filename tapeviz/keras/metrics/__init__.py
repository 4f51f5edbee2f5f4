"""``tf.keras.metrics``, which is ``tf.metrics`` too."""

from tapeviz.namespace import attach

attach(__name__)
