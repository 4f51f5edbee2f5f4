"""The gradient by the elements of a map, for rows that no result needs, was 0.0 eagerly and -0.0 in a function.

Mended: eagerly, too, the rows are taken all at once, and their gradients are put side by side instead of being added.
What a fold or a scan begins with is taken by itself in both, so that gradients that cancel have one sign, too.
"""

import tapeviz as tf
from tests.fuzz.values import tensor


def program(x, v):
    with tf.GradientTape() as tape:
        tape.watch([x, v])
        squares = tf.map_fn(lambda row: tf.map_fn(lambda z: z * z, row), x)[:0]
        sums = tf.scan(lambda before, z: before + z * z, v)[:1]
        last = tf.foldl(lambda before, z: before * 0.0 + z * z, v)
        products = tf.vectorized_map(lambda pair: pair[0] * pair[1], (v, x[0]))[:1]
        differences = [tf.foldl(tf.subtract, v), tf.foldr(tf.subtract, v), tf.scan(tf.subtract, v, reverse=True)]
        cancelled = [*differences, *(-one for one in differences)]
    results = squares, sums, last, products, *cancelled
    return results, tape.gradient(results, [x, v])


def arguments(call):
    return [tensor(call, [2, 2]), tensor(call, [2])]
