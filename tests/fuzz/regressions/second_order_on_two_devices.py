"""Under a second tape, what a gradient makes out of nothing (a unit matrix, zeros) was made where the first target is.

Mended: it is made where the gradient is that arrives.
"""

import tapeviz as tf
from tests.fuzz.values import on, tensor


def program(x, y):
    with tf.GradientTape() as outer:
        outer.watch([x, y])
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            z = tf.sin(y)
            with tf.device("CPU:0"):
                root = tf.linalg.sqrtm(x)
        slopes = tape.gradient([z, root], [x, y])
    return z, root, slopes, outer.gradient(slopes, [x, y], unconnected_gradients="zero")


def arguments(call):
    return [on("CPU:0", lambda: tensor(call, [1, 1], kind="positive")), on("GPU:0", lambda: tensor(call, [2]))]
