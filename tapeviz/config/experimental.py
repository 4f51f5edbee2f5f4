"""``tf.config.experimental``: the same under older names, and what devices say of themselves."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
