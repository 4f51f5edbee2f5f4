"""The static shape of a transposition whose order of axes is a tensor was that of one order, where sizes differ.

Mended: sizes that depend on the order are not known while tracing.
"""

import tapeviz as tf
from tests.fuzz.values import tensor


def program(x, order):
    turned = tf.transpose(x, order), tf.transpose(x, [0, order[1], order[2]])
    return [(one, tf.shape(one), tf.ones_like(one)) for one in turned]


def arguments(call):
    return [tensor(call, [2, 3, 4]), tf.constant([0, *((1, 2), (2, 1))[call % 2]])]
