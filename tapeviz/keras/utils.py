"""``tf.keras.utils``: objects as configs, and what else programs with layers need."""

from tapeviz.namespace import attach

attach(__name__)
