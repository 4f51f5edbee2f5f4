"""In a function of any sizes, ops that want two sizes to agree were refused, or lost their shapes, beyond 64 elements.

Mended: shape rules are asked with the sizes that are there, however large.
"""

import tapeviz as tf
from tests.fuzz.values import tensor


def program(x, places):
    return tf.dynamic_partition(x, places, 2), tf.split(x, [98, 2]), tf.math.segment_mean(x, tf.range(100) // 3)


def arguments(call):
    return [tensor(call, [100]), tensor(9 + call, [100], "int32", "index")]
