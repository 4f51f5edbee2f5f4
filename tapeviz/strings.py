"""``tf.strings``: text as tensors."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
