"""The gradient by a bfloat16 that broadcasting repeats more than 256 times was summed in bfloat16, and stayed at 256.

Mended: it is summed in float32 and rounded once, as in functions and in TensorFlow.
"""

import tapeviz as tf
from tests.fuzz.values import tensor


def program(x, number, row):
    with tf.GradientTape() as tape:
        tape.watch([number, row])
        y = (x - number) * row
    return y, tape.gradient(y, [number, row])


def arguments(call):
    return [tensor(call, shape, "bfloat16") for shape in ([511, 3], [], [3])]
