"""``tf.config.optimizer``: how graphs are made fast."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
