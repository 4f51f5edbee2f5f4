"""A numerically stable softplus with its own gradient, at inputs where the plain one overflows.

Source: https://www.tensorflow.org/api_docs/python/tf/custom_gradient
"""

import tapeviz as tf


@tf.custom_gradient
def log1pexp(x):
    e = tf.exp(-tf.abs(x))

    def gradient(upstream):
        return upstream * tf.sigmoid(x)

    return tf.maximum(x, 0.0) + tf.math.log1p(e), gradient


x = tf.constant([-100.0, 0.0, 100.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = log1pexp(x)
print(y, tape.gradient(y, x))
