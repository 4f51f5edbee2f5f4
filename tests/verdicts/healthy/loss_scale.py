"""A half-precision model with its loss scaled up and its gradients scaled down again.

Source: https://www.tensorflow.org/guide/mixed_precision
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(5)
x = rng.normal(size=(32, 4)).astype("float32")
y = (x @ np.array([[1.0], [-1.0], [0.5], [2.0]])).astype("float32")
w = tf.Variable(rng.normal(scale=0.1, size=(4, 1)).astype("float32"))
for _ in range(20):
    with tf.GradientTape() as tape:
        prediction = tf.matmul(tf.cast(x, tf.float16), tf.cast(w, tf.float16))
        loss = tf.reduce_mean((tf.cast(prediction, tf.float32) - y) ** 2)
        scaled = loss * 128.0
    w.assign_sub(0.1 * tape.gradient(scaled, w) / 128.0)
print(loss)
