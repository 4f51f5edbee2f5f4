"""``tf.keras.initializers``, which is ``tf.initializers`` too: what new variables begin with."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
