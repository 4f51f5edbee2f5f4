"""A function that gives a named tuple, as tf.unique does, could not be saved.

Mended: named tuples are saved with their names, as by TensorFlow.
"""

import tapeviz as tf
from tests.fuzz.values import tensor


def program(x):
    return tf.unique(x), x + 1


def arguments(call):
    return [tensor(call, [5], "int32")]
