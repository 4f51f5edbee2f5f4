"""``tf.image``: images resized, turned, cut, coloured and compared."""

from tapeviz.namespace import attach

attach(__name__)
