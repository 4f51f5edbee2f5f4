"""``tf.train``: checkpoints."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
