"""``tf.config``: which devices there are, and which of them are used."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
