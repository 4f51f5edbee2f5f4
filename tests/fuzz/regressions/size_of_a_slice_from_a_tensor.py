"""In a function of any sizes, x[a:-9] with a tensor a was said to have 0 elements, and tf.shape of it gave 0.

Mended: what a shape rule says is held against sizes larger than all that is cut off.
"""

import tapeviz as tf
from tests.fuzz.values import tensor


def program(x, a):
    parts = (x[a:-9:3], x[a + 5 : -9], x[2 * a : -12], x[-a:-9])
    return [(part, tf.shape(part), tf.ones_like(part)) for part in parts]


def arguments(call):
    return [tensor(call, [(31, 40, 21, 90)[call]]), tf.constant((0, 3, 1, 20)[call])]
