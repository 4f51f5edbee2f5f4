"""``tf.nn.experimental``: dropout whose choice depends on a seed alone."""

from tapeviz.namespace import attach

attach(__name__)
