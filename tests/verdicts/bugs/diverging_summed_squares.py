"""With ten samples the fit converges, with forty of the same line the weight swings ever wider.

The squares are summed rather than averaged: four times as many samples are four times as large a step.

Kind: diverging
Source: https://github.com/peterroelants/peterroelants.github.io/issues/5
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(0)
x = tf.constant(rng.uniform(0, 1, 40), tf.float32)
t = tf.constant(2 * x.numpy() + rng.normal(0, 0.2, 40), tf.float32)


def cost(y, t):
    return tf.reduce_sum((t - y) ** 2)  # fault


w = tf.Variable(0.1)
learning_rate = 0.1
for i in range(20):
    with tf.GradientTape() as tape:
        value = cost(x * w, t)
    w.assign_sub(learning_rate * tape.gradient(value, w))  # fault
    print(f"w({i}): {float(w):.4f} cost: {float(value):.4f}")
