"""The gradient of tf.where in bfloat16 was float64, and the next step of the gradient then refused it.

Mended: a choice between an array and a number has the dtype of the array.
"""

import tapeviz as tf
from tests.fuzz.values import tensor


def program(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.where(x > 0, x, x * 2)
    return y, tape.gradient(y, x)


def arguments(call):
    return [tensor(call, [3], "bfloat16")]
