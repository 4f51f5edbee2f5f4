"""A gradient of targets of which one is of strings was refused in a function, and under a second tape.

Mended: strings are followed by nobody, so their gradient begins with nothing, as it does eagerly.
"""

import tapeviz as tf
from tests.fuzz.values import tensor


def program(x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            words = tf.constant(["a", "b"])
            y = x * x
        slope = tape.gradient([words, y], x)
    return words, slope, outer.gradient(slope, x)


def arguments(call):
    return [tensor(call, [2])]
