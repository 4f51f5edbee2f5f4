"""The gradient of a transposition whose order of axes is a tensor was refused in a function.

Mended: the order back is computed when the graph runs.
"""

import tapeviz as tf
from tests.fuzz.values import tensor


def program(x, order):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.transpose(x, order)
        z = y * tf.reshape(tf.range(8.0), tf.shape(y))
    return z, tape.gradient(z, x)


def arguments(call):
    return [tensor(call, [2, 2, 2]), tf.constant([[1, 0, 2], [2, 0, 1], [0, 1, 2], [1, 2, 0]][call])]
