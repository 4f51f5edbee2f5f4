"""``tf.keras.regularizers``: penalties on weights and on what layers give."""

from tapeviz.namespace import attach

attach(__name__)
