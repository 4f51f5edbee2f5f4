"""``tf.errors``: the errors that ops raise."""

from tapeviz.namespace import attach

attach(__name__)
