"""The count of seen tokens stands still at 16777216.

It is kept as a float32, to which one can't be added above 2 to the 24th.

Kind: precision
Source: https://github.com/tensorflow/tensorboard/pull/5337
"""

import numpy as np

import tapeviz as tf

seen = tf.Variable(16777200.0, name="tokens_seen")
rows = np.random.RandomState(0).randint(1, 2, (40, 1))


def count(batch):
    seen.assign_add(tf.reduce_sum(tf.cast(batch > 0, tf.float32)))  # fault
    return seen


for index, row in enumerate(rows):
    total = count(tf.constant(row))
    if index % 8 == 7:
        print(index + 1, "rows:", int(total.numpy()), "expected", 16777200 + index + 1)
