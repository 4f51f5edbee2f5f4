"""A triplet loss over all triples of a batch: distances of (n, n, 1) minus (n, 1, n), hinged and masked.

Source: https://arxiv.org/abs/1703.07737
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(15)
labels = np.arange(12) % 3
x = (np.eye(3)[labels] @ rng.normal(size=(3, 5)) + 0.5 * rng.normal(size=(12, 5))).astype("float32")
same = labels[:, None] == labels
valid = tf.constant((same & ~np.eye(12, dtype=bool))[:, :, None] & ~same[:, None, :], tf.float32)
w = tf.Variable(rng.normal(scale=0.3, size=(5, 2)).astype("float32"))
for _ in range(15):
    with tf.GradientTape() as tape:
        points = x @ w
        squares = tf.reduce_sum((points[:, None] - points) ** 2, axis=2)
        hinge = tf.nn.relu(squares[:, :, None] - squares[:, None, :] + 0.5) * valid
        loss = tf.reduce_sum(hinge) / tf.reduce_sum(valid)
    w.assign_sub(0.05 * tape.gradient(loss, w))
print(loss)
