"""Away from the host, a gradient that arrived only at a later one of several outputs was added by the host's kernels,
and after a step on a device the gradients of the steps before it, on the host, by that device's.

Mended: the walk backwards looks at the gradients that are there, and again wherever their device changes.
"""

import tapeviz as tf
from tests.fuzz.values import tensor


def program(x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.sqrt(tf.scan(lambda before, row: before * 0.5 + row, x))
            z = tf.function(lambda v: v * v + 1)(y)
        slope = tape.gradient(z, x)
    return z, slope, outer.gradient(slope, x)


def arguments(call):
    return [tensor(call, [2, 3], "float32", "positive")]
