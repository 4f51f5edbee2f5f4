"""The first principal component by power iteration on a covariance matrix.

Source: https://en.wikipedia.org/wiki/Power_iteration
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(3)
data = tf.constant(rng.normal(size=(100, 4)) * [3.0, 1.0, 0.5, 0.2], tf.float32)
centered = data - tf.reduce_mean(data, axis=0)
covariance = tf.matmul(centered, centered, transpose_a=True) / 99.0
direction = tf.ones([4, 1]) / 2.0
for _ in range(20):
    direction = tf.matmul(covariance, direction)
    direction = direction / tf.norm(direction)
print(tf.transpose(direction))
