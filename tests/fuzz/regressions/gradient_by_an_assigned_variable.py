"""In a function, a variable read after an assignment was the very tensor assigned, so that what else was computed from
that tensor had a gradient by the variable; and a tape around the call missed all that was read after an assignment.

Mended: what is read after an assignment is a tensor of its own, and a function's gradient counts all reads.
"""

import tapeviz as tf
from tests.fuzz.values import tensor

w = tf.Variable(tensor(2, [2], "float32"))


def program(x):
    with tf.GradientTape() as tape:
        y = tf.exp(x)
        w.assign(y)
        after = w * w
        beside = 5.0 * y
    return after, beside, tape.gradient([after, beside], [w])


def arguments(call):
    return [tensor(call, [2])]
