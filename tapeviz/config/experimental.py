"""``tf.config.experimental``: the same under older names, and what devices say of themselves."""

from tapeviz.namespace import attach

attach(__name__)
