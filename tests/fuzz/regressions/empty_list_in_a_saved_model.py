"""A list or dict without variables in an attribute was not there after a saved model was loaded.

Mended: every list and dict of an object is saved, as by TensorFlow; so is the empty list of variables of this program.
"""

import tapeviz as tf
from tests.fuzz.values import tensor


def program(x):
    return tf.exp(x)


def arguments(call):
    return [tensor(call, [3])]
