"""A Gaussian kernel between every query and every sample: (n, 1) minus (n,) is meant.

Source: https://d2l.ai/chapter_attention-mechanisms-and-transformers/attention-pooling.html
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(1)
x = tf.constant(np.sort(rng.uniform(0.0, 5.0, 40)), tf.float32)
y = tf.sin(x) + tf.constant(rng.normal(scale=0.1, size=40), tf.float32)
width = tf.Variable(2.0)
for _ in range(20):
    with tf.GradientTape() as tape:
        scores = -((x[:, None] - x) ** 2) / (2.0 * width**2)
        scores = tf.linalg.set_diag(scores, tf.fill([40], -1e9))
        estimate = tf.linalg.matvec(tf.nn.softmax(scores, axis=1), y)
        loss = tf.reduce_mean((estimate - y) ** 2)
    width.assign_sub(1.0 * tape.gradient(loss, width))
print(loss)
