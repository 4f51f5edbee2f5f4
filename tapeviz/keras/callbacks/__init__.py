"""``tf.keras.callbacks``: what happens while a model is trained."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
