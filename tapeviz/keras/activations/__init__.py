"""``tf.keras.activations``: the bends between layers, by names."""

from tapeviz.namespace import attach

attach(__name__)
