"""``tf.keras.constraints``: what weights are made to satisfy after each update."""

from tapeviz.namespace import attach

attach(__name__)
