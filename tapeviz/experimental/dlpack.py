"""``tf.experimental.dlpack``: tensors to and from other libraries without a detour."""

from tapeviz.namespace import attach

attach(__name__)
