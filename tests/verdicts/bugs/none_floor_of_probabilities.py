"""No variable gets a gradient: all are None.

The loss is taken of predictions rounded down, and floor has no gradient.

Kind: none
Source: https://github.com/tensorflow/tensorflow/issues/8625
"""

import numpy as np

import tapeviz as tf

x = np.random.RandomState(0).randn(30, 5).astype("float32")
y_true = (x[:, :1] > 0).astype("float32")
weights = tf.Variable(tf.ones([5, 1]) * 0.1)
offset = tf.Variable([0.5])

with tf.GradientTape() as tape:
    y_prob = tf.sigmoid(tf.matmul(x, weights) + offset)
    y_pred = tf.floor(y_prob + 0.5)  # fault
    loss = tf.reduce_mean(tf.abs(y_true - y_pred))
grads = tape.gradient(loss, [weights, offset])
print(grads)
