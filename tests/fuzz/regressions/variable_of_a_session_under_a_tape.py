"""A tape inside of a function that a session's graph calls did not watch the graph's variables: gradients were None.

Mended: a variable that is read while another graph is traced tells the tapes, too.
"""

import tapeviz as tf
from tests.fuzz.values import tensor

w = tf.Variable(tensor(1, [3]))


def program(x):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as tape:
            y = w * w * x
        slope = tape.gradient(y, w)
    return y, slope, outer.gradient(slope, w)


def arguments(call):
    return [tensor(call, [3])]
