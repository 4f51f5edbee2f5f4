"""``tf.experimental.numpy``: the ops of tapeviz under NumPy's names."""

from tapeviz.namespaces.lazy import attach

newaxis = None

attach(__name__, "newaxis")
