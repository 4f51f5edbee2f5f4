"""``gather_nd`` picked rows of a tensor without elements, and the gradient of its gradient was refused in a function.

Mended: as in TensorFlow, nothing is picked from nothing, nor put there by the ``tensor_scatter_nd`` ops, in any way.
"""

import tapeviz as tf
from tests.fuzz.values import tensor


def program(x1):
    """Pick what is there, by the gradient of the gradient."""
    with tf.GradientTape() as outer:
        outer.watch(x1)
        with tf.GradientTape() as tape:
            tape.watch(x1)
            y = tf.gather_nd(x1, [[0], [1]]) ** 2
        slope = tape.gradient(y, x1)
    return slope, outer.gradient(slope, x1)


def arguments(call):
    """Three rows; from the third call on of no elements."""
    return [tensor(call, [3, 2 if call < 2 else 0])]
