"""Where the number of axes is known only when a function runs, some functions refused to be traced.

Mended: those that ask how many axes there are wait for the tensor: ``tf.repeat``, ``stack``, ``slice``, ``tensordot``,
``dynamic_partition``, ``linalg.matrix_transpose``, ``linalg.adjoint``, ``linalg.tensor_diag``, ``nn.moments``,
``nn.weighted_moments``, ``nn.zero_fraction``, ``nn.sparse_softmax_cross_entropy_with_logits``.
"""

import tapeviz as tf
from tests.fuzz.values import tensor


def program(x1, x2):
    y = tf.squeeze(tf.transpose(x1[..., x2:]))
    mean, variance = tf.nn.moments(y, [0])
    first, second = tf.dynamic_partition(y, [0, 1, 0], 2)
    parts = tf.repeat(y, 2, 0), tf.stack([y, y], 1), tf.slice(y, [0, 1], [2, -1]), tf.linalg.adjoint(y)
    products = tf.tensordot(y, y, [[0], [0]]), tf.linalg.tensor_diag(y[0])
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits([0, 1, 0], y)
    return mean, variance, first, second, *parts, *products, tf.nn.zero_fraction(y), loss


def arguments(call):
    return [tensor(call, [2, 3]), tf.constant(0)]
