"""A causal mask of shape (t, t) is built from (t, 1) and (t,), and hides exactly half of the scores.

Source: https://www.tensorflow.org/text/tutorials/transformer
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(9)
q = tf.constant(rng.normal(size=(2, 6, 8)), tf.float32)
k = tf.constant(rng.normal(size=(2, 6, 8)), tf.float32)
v = tf.Variable(rng.normal(size=(2, 6, 8)).astype("float32"))
positions = tf.range(6)
visible = positions[:, None] >= positions
with tf.GradientTape() as tape:
    scores = tf.matmul(q, k, transpose_b=True) / tf.sqrt(8.0)
    scores = tf.where(visible, scores, -1e9)
    out = tf.matmul(tf.nn.softmax(scores), v)
    loss = tf.reduce_mean(out**2)
print(tape.gradient(loss, v))
