"""Lloyd's algorithm with distances of (n, 1, d) and (k, d), without a gradient.

Source: https://scikit-learn.org/stable/modules/clustering.html#k-means
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(2)
middles = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])
points = tf.constant(np.concatenate([rng.normal(m, 0.5, (30, 2)) for m in middles]), tf.float32)
centroids = tf.gather(points, [0, 30, 60])
for _ in range(6):
    distances = tf.reduce_sum((points[:, None] - centroids) ** 2, axis=-1)
    nearest = tf.argmin(distances, axis=1)
    centroids = tf.math.unsorted_segment_mean(points, nearest, 3)
print(centroids)
