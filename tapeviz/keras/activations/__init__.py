"""``tf.keras.activations``: the bends between layers, by names."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
