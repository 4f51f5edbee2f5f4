"""In a plan, a product by ones of a transposed array was left out, and a sum of it was rounded in another order.

Mended: what changes no number, but the order of the elements in memory, stays; reshapes there and back, too.
"""

import tapeviz as tf
from tests.fuzz.values import tensor


def program(x):
    y = tf.transpose(x, [0, 2, 1])
    there = tf.reshape(tf.reshape(y, [-1]), [3, 7, 5])
    back = tf.reshape(tf.reshape(y, [3, 35]), [3, 7, 5])
    ones, zeros = tf.ones([3, 7, 5]), tf.zeros([3, 7, 5])
    sums = [tf.reduce_sum(part, [1, 2]) for part in (y, y * ones, ones * y, y / ones, y - zeros, y + -zeros, y * 1.0)]
    return *sums, tf.reduce_sum(there, [1, 2]), tf.reduce_sum(back, [1, 2]), tf.reduce_sum(back * 1.0, 1)


def arguments(call):
    return [tensor(call, [3, 5, 7])]
