"""``tf.initializers``: what variables begin with, by short names."""

from tapeviz.namespace import attach

attach(__name__)
