"""In a function, a gradient of targets of which one was computed from positions, of ``top_k`` say, was refused.

Mended: tapes of functions follow no integers, as eager ones do not.
"""

import tapeviz as tf
from tests.fuzz.values import tensor


def program(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        values, positions = tf.math.top_k(x, 2)
        mean = tf.reduce_mean(positions, -1)
    return values, tape.gradient([mean, values], x)


def arguments(call):
    return [tensor(call, [2, 4])]
