"""The regression's loss stays at the variance of the targets, though the data lie on a plane.

Predictions of shape (n, 1) minus targets of shape (n,) are an n by n matrix: each prediction is drawn to the mean of
all targets.

Kind: broadcast
Source: https://github.com/pytorch/pytorch/issues/16045
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(0)
features = rng.normal(size=(120, 2)).astype("float32")
target = (4.0 + 7.0 * features[:, 0] - 3.0 * features[:, 1]).astype("float32")

w = tf.Variable(tf.zeros([2, 1]), name="w")
b = tf.Variable(0.0, name="b")

for step in range(40):
    with tf.GradientTape() as tape:
        yhat = tf.matmul(features, w) + b
        loss = tf.reduce_mean(tf.square(yhat - target))  # fault
    dw, db = tape.gradient(loss, [w, b])
    w.assign_sub(0.1 * dw)
    b.assign_sub(0.1 * db)
print("loss", float(loss), "w", w.numpy().ravel(), "variance", target.var())
