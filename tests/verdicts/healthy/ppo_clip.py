"""Proximal policy optimisation: the ratio is clipped, which cuts the gradient of some samples by design.

Source: https://arxiv.org/abs/1707.06347
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(1)
states = rng.normal(size=(64, 3)).astype("float32")
actions = rng.integers(0, 2, 64)
advantages = tf.constant(np.where(actions == (states[:, 0] > 0), 1.0, -1.0), tf.float32)
w = tf.Variable(tf.zeros([3, 2]))
old = tf.gather(tf.nn.log_softmax(states @ w), actions, batch_dims=1)
for _ in range(10):
    with tf.GradientTape() as tape:
        now = tf.gather(tf.nn.log_softmax(states @ w), actions, batch_dims=1)
        ratio = tf.exp(now - old)
        clipped = tf.clip_by_value(ratio, 0.8, 1.2)
        loss = -tf.reduce_mean(tf.minimum(ratio * advantages, clipped * advantages))
    w.assign_sub(0.5 * tape.gradient(loss, w))
print(loss)
