"""Lowering the learning rate halfway changes nothing: the steps stay as large as before.

The rate is a Python number, which the traced step keeps from its first call.

Kind: frozen
Source: https://github.com/tensorflow/tensorflow/issues/31323
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(3)
data = tf.constant(rng.normal(size=(40, 3)), tf.float32)
goal = tf.constant(rng.normal(size=(40, 1)), tf.float32)
theta = tf.Variable(tf.zeros([3, 1]))
learning_rate = 0.3


@tf.function
def step():
    with tf.GradientTape() as tape:
        residual = tf.matmul(data, theta) - goal
        loss = tf.reduce_mean(tf.square(residual))
    gradient = tape.gradient(loss, theta)
    change = learning_rate * gradient  # fault
    theta.assign_sub(change)
    return tf.norm(change) / tf.norm(gradient)


for i in range(10):
    if i == 5:
        learning_rate = 0.0001
    print(i, learning_rate, float(step()))
