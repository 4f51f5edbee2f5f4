"""NumPy's warning of inf - inf came out of sums of gradients: of bfloat16, of functions, of users' own gradients.

Mended: such sums are made in silence, as those of ops are.
"""

import tapeviz as tf
from tests.fuzz.values import tensor


@tf.custom_gradient
def same(x):
    return x * 1, lambda g: g


def program(x, y):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        narrow = tf.cast(x, tf.bfloat16)
        values = [tf.cast(narrow * y, tf.float32), same(x) * 1e38 * 10, tf.function(lambda v: v * 1e38)(x) * -10.0]
        total = values[1] + values[2]
    return *values, tape.gradient([total, values[0]], [x, y]), tape.gradient(values[1:], x)


def arguments(call):
    return [tensor(call, [3]), tf.cast(tensor(call + 9, [3]), tf.bfloat16)]
