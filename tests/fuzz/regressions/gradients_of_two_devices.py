"""A tensor with uses on two devices had its gradients summed up by the kernels of the wrong one.

Mended: what a copy between devices gives back is added by the kernels of the device where it came from.
"""

import tapeviz as tf
from tests.fuzz.values import on, tensor


def program(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        with tf.device("GPU:0"):
            y = tf.sin(x)
        with tf.device("CPU:0"):
            z = tf.exp(x)
    return y, z, tape.gradient([y, z], x)


def arguments(call):
    return [on("CPU:0", lambda: tensor(call, [3]))]
