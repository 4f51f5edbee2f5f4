"""``tf.train``: training, saving, clusters."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
