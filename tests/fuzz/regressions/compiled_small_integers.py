"""A graph with 8-, 16- or unsigned integers ended in KeyError when it was compiled.

Mended: the compiler knows every dtype or leaves it to NumPy, and no failure of its own reaches a user.
"""

import tapeviz as tf
from tests.fuzz.values import tensor


def program(x, y):
    return x * 2 + 1, tf.equal(y, 3), tf.where(x > 2, 1.0, 0.0), tf.cast(y, tf.float64) * 0.5


def arguments(call):
    return [tensor(call, [3, 2], "uint8"), tensor(call, [3, 2], "int16")]
