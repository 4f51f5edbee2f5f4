"""Layer normalisation by hand: means and variances of shape (n, 1) broadcast over the rows, on purpose.

Source: https://arxiv.org/abs/1607.06450
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(3)
x = tf.constant(rng.normal(size=(8, 6)), tf.float32)
gain = tf.Variable(rng.uniform(0.5, 1.5, 6).astype("float32"))
with tf.GradientTape() as tape:
    mean, variance = tf.nn.moments(x, axes=[1], keepdims=True)
    y = (x - mean) * tf.math.rsqrt(variance + 1e-5) * gain
    loss = tf.reduce_mean(tf.sigmoid(y))
print(tape.gradient(loss, gain))
