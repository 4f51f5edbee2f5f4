"""``tf.io.gfile``: files and folders of this machine."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
