"""A function that reads variables of the host and of another device, or assigns them, mixed their memories.

Mended: a graph, which runs on one device, gets copies of what is on another; what is assigned goes to where the
variable is, and gradients are summed up where their sources are.
"""

import tapeviz as tf
from tests.fuzz.values import on, tensor

v = on("CPU:0", lambda: tf.Variable(tensor(1, [3])))
w = on("GPU:0", lambda: tf.Variable(tensor(2, [3])))


def program(x):
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(v * w * x) + tf.reduce_sum(v)
    slopes = tape.gradient(y, [v, w])
    v.assign_sub(0.1 * slopes[0])
    w.assign_sub(0.1 * slopes[1])
    return y, slopes


def arguments(call):
    return [on("GPU:0", lambda: tensor(call, [3]))]
