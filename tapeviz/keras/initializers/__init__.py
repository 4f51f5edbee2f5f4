"""``tf.keras.initializers``, which is ``tf.initializers`` too: what new variables begin with."""

from tapeviz.namespace import attach

attach(__name__)
