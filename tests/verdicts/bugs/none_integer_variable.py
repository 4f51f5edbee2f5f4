"""Gradient descent on x squared finds no gradient for x.

The variable was made from a Python int, so it is an int32, which can't be differentiated.

Kind: none
Source: https://github.com/tensorflow/tensorflow/issues/43845
"""

import tapeviz as tf

x = tf.Variable(5)  # fault

with tf.GradientTape() as tape:
    loss = x * x - 4 * x + 4
grad = tape.gradient(loss, x)  # fault
print("gradient", grad)
