"""NumPy's warnings of overflow came out of loops and branches of functions that were recorded with their contents.

Mended: what is run node by node runs in silence inside of nodes with graphs, too.
"""

import tapeviz as tf


def program(x, n):
    y = x
    i = tf.constant(0)
    while i < n:
        i += 1
        y = tf.where(y > 0, y * 3.0, x)
    return y


def arguments(call):
    return [tf.constant([3e38, 1.0 + call]), tf.constant(2)]
