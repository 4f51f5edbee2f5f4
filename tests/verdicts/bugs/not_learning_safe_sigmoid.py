"""Gradients are exactly zero, and the classifier keeps its wrong answers.

The logits are clipped before the sigmoid for safety, and those outside the range get no gradient.

Kind: not_learning
Source: https://github.com/tensorflow/tensorflow/issues/89110
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(21)
X = tf.constant(rng.normal(50.0, 5.0, (60, 3)), tf.float32)
Y = tf.constant(rng.integers(0, 2, (60, 1)), tf.float32)
W = tf.Variable([[0.4], [0.3], [0.2]])


def safe_sigmoid(logits):
    clipped = tf.clip_by_value(logits, -10.0, 10.0)  # fault
    return tf.sigmoid(clipped)


for i in range(10):
    with tf.GradientTape() as tape:
        p_hat = safe_sigmoid(X @ W)
        loss = tf.reduce_mean(tf.keras.losses.binary_crossentropy(Y, p_hat))
    gradient = tape.gradient(loss, W)
    W.assign_sub(0.5 * gradient)
    print(i, float(loss), gradient.numpy().ravel())
