"""``tf.keras.losses``, which is ``tf.losses`` too."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
