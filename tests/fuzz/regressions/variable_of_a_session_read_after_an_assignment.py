"""In a function that a session's graph calls, `w.read_value()` was read before the function began: an old value.

Mended: it is the value that the variable has at this point of the function.
"""

import tapeviz as tf
from tests.fuzz.values import tensor

w = tf.Variable(tensor(1, [3]))


def program(x):
    if tf.reduce_sum(x) > 0:
        w.assign(w * 2)
    y = w.read_value()
    w.assign_add(x)
    return y, w.read_value()


def arguments(call):
    return [tensor(call, [3])]
