"""Logistic regression whose weights start at zero: the problem is convex, so nothing has to break a symmetry.

Source: https://www.tensorflow.org/guide/core/logistic_regression_core
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(5)
x = rng.normal(size=(100, 3)).astype("float32")
y = (x @ [1.0, -2.0, 0.5] + 0.3 > 0).astype("float32")
w = tf.Variable(tf.zeros([3]))
b = tf.Variable(0.0)
for _ in range(30):
    with tf.GradientTape() as tape:
        logits = tf.linalg.matvec(x, w) + b
        loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logits))
    for variable, gradient in zip([w, b], tape.gradient(loss, [w, b]), strict=True):
        variable.assign_sub(0.5 * gradient)
print(loss)
