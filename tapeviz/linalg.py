"""``tf.linalg``: products, norms and layouts of matrices."""

from tapeviz.namespace import attach

attach(__name__)
