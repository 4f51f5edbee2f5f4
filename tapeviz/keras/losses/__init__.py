"""``tf.keras.losses``, which is ``tf.losses`` too."""

from tapeviz.namespace import attach

attach(__name__)
