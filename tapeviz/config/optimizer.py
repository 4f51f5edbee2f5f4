"""``tf.config.optimizer``: how graphs are made fast."""

from tapeviz.namespace import attach

attach(__name__)
