"""After some steps of a logistic regression on unscaled pixels the cost is NaN.

A softmax in float32 rounds to 0, the logarithm of 0 is minus infinity, and times a label of 0 that is NaN.

Kind: nan
Source: https://github.com/aymericdamien/TensorFlow-Examples/issues/383
"""

import numpy as np

import tapeviz as tf

np.random.seed(0)
pixels = np.random.randint(0, 256, (50, 16)).astype("float32")
digits = np.eye(5, dtype="float32")[np.random.randint(0, 5, 50)]
W = tf.Variable(tf.zeros([16, 5]))
b = tf.Variable(tf.zeros([5]))

for epoch in range(10):
    with tf.GradientTape() as tape:
        pred = tf.nn.softmax(tf.matmul(pixels, W) + b)
        cost = tf.reduce_mean(-tf.reduce_sum(digits * tf.math.log(pred), axis=1))  # fault
    gW, gb = tape.gradient(cost, [W, b])
    W.assign_sub(0.05 * gW)
    b.assign_sub(0.05 * gb)
    print(epoch, float(cost))
