"""In a function away from the host, ops on strings were given to the device, which has none, and mixed memories.

Mended: what a device has no dtype for is computed on the host, and results that the device takes go back to it.
"""

import tapeviz as tf
from tests.fuzz.values import tensor


def program(x1, x2):
    """Lay out, pad, compare, put together."""
    parts = tf.unstack(["a", "b"])
    padded = tf.pad(["a"], [[1, 0]], constant_values="z")
    same = tf.cast(x2 == tf.transpose(x2), tf.float32)
    return parts[0], padded, tf.repeat(["a"], 2), tf.reshape(x2, [-1]), tf.concat([x2, x2], 0), same * x1


def arguments(call):
    """A number and strings."""
    return [tensor(call, []), tensor(call, [2, 2], "string")]
