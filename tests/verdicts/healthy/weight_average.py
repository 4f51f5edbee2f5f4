"""A moving average of the weights is kept beside training and only used to evaluate.

Source: https://www.tensorflow.org/api_docs/python/tf/train/ExponentialMovingAverage
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(12)
x = rng.normal(size=(64, 2)).astype("float32")
y = x @ np.array([[1.5], [-0.5]], "float32") + 0.1 * rng.normal(size=(64, 1)).astype("float32")
w = tf.Variable([[0.1], [0.1]])
average = tf.Variable(w, trainable=False)
for _ in range(20):
    rows = rng.integers(0, 64, 16)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((x[rows] @ w - y[rows]) ** 2)
    w.assign_sub(0.2 * tape.gradient(loss, w))
    average.assign(0.8 * average + 0.2 * w)
print(tf.reduce_mean((x @ average - y) ** 2))
