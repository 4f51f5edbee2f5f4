"""A compiled relu gave 0.0 for -0.0, whose sign it keeps otherwise.

Mended: machine code puts 0 in the place of what is below 0 alone.
"""

import tapeviz as tf


def program(x):
    y = tf.nn.relu(x)
    return y, tf.square(y) + y


def arguments(call):
    return [tf.constant([-0.0, 0.0, -1.0 - call, 1.0 + call])]
