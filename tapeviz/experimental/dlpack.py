"""``tf.experimental.dlpack``: tensors to and from other libraries without a detour."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
