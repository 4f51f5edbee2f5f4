"""``tf.autodiff``: forward mode."""

from tapeviz.namespace import attach

attach(__name__)
