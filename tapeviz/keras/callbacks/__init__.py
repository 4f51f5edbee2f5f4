"""``tf.keras.callbacks``: what happens while a model is trained."""

from tapeviz.namespace import attach

attach(__name__)
