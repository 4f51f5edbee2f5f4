"""``tf.contrib.eager``: the names under which eager execution was announced, most often imported as ``tfe``.

>>> import tapeviz.contrib.eager as tfe
>>> gradient = tfe.gradients_function(lambda x: x * x)
>>> gradient(3.0)
[<tf.Tensor: shape=(), dtype=float32, numpy=6.0>]
"""

from tapeviz.namespaces.lazy import attach

attach(__name__)
