"""A Gaussian process: a kernel of all pairs, a Cholesky factor with jitter, the width by maximum likelihood.

Source: https://gaussianprocess.org/gpml/chapters/RW2.pdf
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(6)
x = tf.constant(np.linspace(0.0, 4.0, 15), tf.float64)
y = tf.sin(x) + tf.constant(0.1 * rng.normal(size=15), tf.float64)
log_width = tf.Variable(-1.0, dtype=tf.float64)
for _ in range(15):
    with tf.GradientTape() as tape:
        kernel = tf.exp(-0.5 * ((x[:, None] - x) / tf.exp(log_width)) ** 2) + 0.02 * tf.eye(15, dtype=tf.float64)
        factor = tf.linalg.cholesky(kernel)
        solved = tf.linalg.triangular_solve(factor, y[:, None])
        loss = 0.5 * tf.reduce_sum(solved**2) + tf.reduce_sum(tf.math.log(tf.linalg.diag_part(factor)))
    log_width.assign_sub(0.05 * tape.gradient(loss, log_width))
print(loss)
