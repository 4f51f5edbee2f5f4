"""All distances between the points of two sets, by an outer sum of squared norms of shapes (n, 1) and (m,).

Source: https://scikit-learn.org/stable/modules/generated/sklearn.metrics.pairwise.euclidean_distances.html
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(0)
a = tf.constant(rng.normal(size=(12, 3)), tf.float32)
b = tf.constant(rng.normal(size=(12, 3)), tf.float32)
squares_a = tf.reduce_sum(a**2, axis=1, keepdims=True)
squares_b = tf.reduce_sum(b**2, axis=1)
distances = tf.sqrt(tf.maximum(squares_a + squares_b - 2.0 * tf.matmul(a, b, transpose_b=True), 0.0))
print(tf.reduce_mean(distances))
