"""A gradient of targets of which two were the same truth values was refused in a function: there is no sum of those.

Mended: they are taken once.
"""

import tapeviz as tf
from tests.fuzz.values import tensor


def program(x, b):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        same = tf.cast(b, tf.bool)
    return same, tape.gradient([b, same, y], x)


def arguments(call):
    return [tensor(call, [2, 3]), tensor(call, [2, 3], "bool")]
