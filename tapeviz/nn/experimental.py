"""``tf.nn.experimental``: dropout whose choice depends on a seed alone."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
