"""A graph convolution: the adjacency is normalised by degrees of shapes (n, 1) and (n,), two of the nodes are labelled.

Source: https://arxiv.org/abs/1609.02907
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(18)
groups = np.arange(12) % 2
joined = rng.random((12, 12)) < np.where(groups[:, None] == groups, 0.7, 0.1)
adjacency = tf.constant((joined | joined.T | np.eye(12, dtype=bool)).astype("float32"))
scale = tf.math.rsqrt(tf.reduce_sum(adjacency, axis=1))
adjacency = scale[:, None] * adjacency * scale
known = np.array([0, 1])
first = tf.Variable(rng.normal(scale=0.5, size=(12, 8)).astype("float32"))
second = tf.Variable(rng.normal(scale=0.5, size=(8, 2)).astype("float32"))
optimizer = tf.keras.optimizers.Adam(0.05)
for _ in range(20):
    with tf.GradientTape() as tape:
        logits = adjacency @ (tf.tanh(adjacency @ first) @ second)
        picked = tf.gather(logits, known)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=groups[known], logits=picked))
    optimizer.apply_gradients(zip(tape.gradient(loss, [first, second]), [first, second], strict=True))
print(loss)
