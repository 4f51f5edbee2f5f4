"""The transfer function is right for positive and negative x, and its derivative is nan.

`where` picks the finite branch, but the derivative of the other, the log of a number below 0, is multiplied by 0.

Kind: nan
Source: https://github.com/tensorflow/tensorflow/issues/20355
"""

import numpy as np

import tapeviz as tf


def transfer(x):
    return tf.where(x < 0.0, 1.0 / (1.0 - x), tf.math.log(x + 1.0) + 1.0)  # fault


x = tf.constant(np.linspace(-3, 3, 25, dtype="float32")[:, None])
weight = tf.Variable([[1.0, -1.0]])
with tf.GradientTape() as tape:
    out = transfer(tf.matmul(x, weight))
    loss = tf.reduce_mean(out)
print("loss", float(loss), "gradient", tape.gradient(loss, weight).numpy())
