"""Gradients of four small batches are added up before one step.

Source: https://huggingface.co/docs/accelerate/usage_guides/gradient_accumulation
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(9)
x = rng.normal(size=(64, 3)).astype("float32")
y = x @ np.array([[1.0], [2.0], [-1.0]], "float32")
w = tf.Variable(tf.random.stateless_normal([3, 1], [1, 2]))
total = tf.Variable(tf.zeros([3, 1]), trainable=False)
for _ in range(6):
    total.assign(tf.zeros([3, 1]))
    for start in range(0, 64, 16):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x[start : start + 16] @ w - y[start : start + 16]) ** 2) / 4.0
        total.assign_add(tape.gradient(loss, w))
    w.assign_sub(0.2 * total)
print(loss)
