"""Unaligned labels by connectionist temporal classification, on logits with time first.

Source: https://www.tensorflow.org/api_docs/python/tf/nn/ctc_loss
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(17)
labels = rng.integers(1, 5, (4, 3)).astype("int32")
logits = tf.Variable(rng.normal(scale=0.1, size=(10, 4, 5)).astype("float32"))
for _ in range(10):
    with tf.GradientTape() as tape:
        each = tf.nn.ctc_loss(labels, logits, tf.fill([4], 3), tf.fill([4], 10), blank_index=0)
        loss = tf.reduce_mean(each)
    logits.assign_sub(2.0 * tape.gradient(loss, logits))
print(loss)
