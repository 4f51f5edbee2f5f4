"""A line fitted by gradient descent, features and labels both of shape (n, 1).

Source: https://www.tensorflow.org/guide/core/quickstart_core
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(4)
x = rng.uniform(-1.0, 1.0, (64, 1)).astype("float32")
y = 3.0 * x + 2.0 + 0.1 * rng.normal(size=(64, 1)).astype("float32")
w = tf.Variable(rng.normal(size=(1, 1)).astype("float32"))
b = tf.Variable(tf.zeros([1]))
for _ in range(40):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((x @ w + b - y) ** 2)
    dw, db = tape.gradient(loss, [w, b])
    w.assign_sub(0.3 * dw)
    b.assign_sub(0.3 * db)
print(loss, w, b)
