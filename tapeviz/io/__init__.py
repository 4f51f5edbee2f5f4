"""``tf.io``: files of records."""

from tapeviz.namespace import attach

attach(__name__)
