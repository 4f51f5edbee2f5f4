"""``tf.linalg``: products, norms and layouts of matrices."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
