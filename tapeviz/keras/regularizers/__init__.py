"""``tf.keras.regularizers``: penalties on weights and on what layers give."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
