"""``tf.io``: files of records."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
