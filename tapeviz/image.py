"""``tf.image``: images resized, turned, cut, coloured and compared."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
