"""``tf.errors``: the errors that ops raise."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
