"""A gradient of the user's own, made on another device than its source, was added to the others there.

Mended: it goes to the source's device first.
"""

import tapeviz as tf
from tests.fuzz.values import on, tensor


def program(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sin(x)
        with tf.device("GPU:0"):
            z = tf.custom_gradient(lambda v: (tf.exp(v), lambda g: g * 2))(x)
    return y, z, tape.gradient([y, z], x)


def arguments(call):
    return [on("CPU:0", lambda: tensor(call, [3]))]
