"""``tf.autodiff``: forward mode."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
