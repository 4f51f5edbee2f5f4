"""The edit distance of two words by dynamic programming in a traced loop; integers, and no gradient.

Source: https://en.wikipedia.org/wiki/Wagner%E2%80%93Fischer_algorithm
"""

import tapeviz as tf


@tf.function
def distance(a, b):
    row = tf.range(tf.size(b) + 1)
    for i in tf.range(tf.size(a)):
        left = i + 1
        following = tf.reshape(left, [1])
        for j in tf.range(tf.size(b)):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(following, tf.TensorShape([None]))],
            )
            changed = row[j] + tf.cast(a[i] != b[j], tf.int32)
            left = tf.minimum(tf.minimum(row[j + 1] + 1, left + 1), changed)
            following = tf.concat([following, tf.reshape(left, [1])], axis=0)
        row = tf.reshape(following, tf.shape(row))
    return row[-1]


kitten, sitting = (tf.constant([ord(c) for c in word]) for word in ("kitten", "sitting"))
print(distance(kitten, sitting))
