"""``tf.keras.preprocessing.text``: words as numbers."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
