"""``tf.keras.constraints``: what weights are made to satisfy after each update."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
