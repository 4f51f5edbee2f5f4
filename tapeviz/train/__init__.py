"""``tf.train``: checkpoints."""

from tapeviz.namespace import attach

attach(__name__)
