"""``tf.initializers``: what variables begin with, by short names."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
