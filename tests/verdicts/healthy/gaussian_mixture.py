"""Expectation and maximisation for a mixture: log densities of (n, 1) and (k,), a softmax over the components.

Source: https://scikit-learn.org/stable/modules/mixture.html
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(5)
x = tf.constant(np.concatenate([rng.normal(-2.0, 0.5, 40), rng.normal(2.0, 1.0, 40)]), tf.float32)
means, deviations, shares = tf.constant([-1.0, 1.0]), tf.constant([1.0, 1.0]), tf.constant([0.5, 0.5])
for _ in range(8):
    logs = -0.5 * ((x[:, None] - means) / deviations) ** 2 - tf.math.log(deviations) + tf.math.log(shares)
    responsibility = tf.nn.softmax(logs, axis=1)
    count = tf.reduce_sum(responsibility, axis=0)
    means = tf.reduce_sum(responsibility * x[:, None], axis=0) / count
    deviations = tf.sqrt(tf.reduce_sum(responsibility * (x[:, None] - means) ** 2, axis=0) / count)
    shares = count / 80.0
print(means, deviations, shares)
