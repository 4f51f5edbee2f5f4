"""What broadcasting makes had its axes in another order in memory than in a plan, and sums of it another last bit.

Mended: it is laid out row by row, eagerly too; which is faster to make.
"""

import tapeviz as tf
from tests.fuzz.values import tensor


def program(x):
    y = tf.broadcast_to(x[:, None], [2, 3, 4])
    return tf.reduce_mean(tf.reshape(y, [2, 3, 2, 2]), [1, 3]), tf.reduce_sum(y, [1, 2]), tf.repeat(x, 3, 0)


def arguments(call):
    return [tensor(call, [2, 4])]
