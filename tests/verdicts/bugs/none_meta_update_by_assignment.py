"""The outer loss of the meta-learner depends on the step size, and its gradient by the step size is None.

The inner step is written into the variables by `assign_sub`, which forgets where the new value came from.

Kind: none
Source: https://github.com/tensorflow/tensorflow/issues/30234
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(3)
rate = tf.Variable(0.1, name="rate")


class Task:
    def __init__(self):
        self.amplitude, self.phase = rng.uniform(0.5, 3.0), rng.uniform(0, np.pi)

    def draw(self, count):
        x = rng.uniform(-3, 3, (count, 1)).astype("float32")
        return tf.constant(x), tf.constant((self.amplitude * np.sin(x + self.phase)).astype("float32"))


class Net(tf.Module):
    def __init__(self):
        super().__init__()
        self.w1 = tf.Variable(rng.normal(size=(1, 12)).astype("float32"), name="w1")
        self.b1 = tf.Variable(tf.zeros([12]), name="b1")
        self.w2 = tf.Variable(0.3 * rng.normal(size=(12, 1)).astype("float32"), name="w2")

    def __call__(self, x):
        return tf.matmul(tf.tanh(tf.matmul(x, self.w1) + self.b1), self.w2)


def mse(net, x, y):
    return tf.reduce_mean(tf.square(net(x) - y))


def adapt(net, x, y):
    weights = [net.w1, net.b1, net.w2]
    with tf.GradientTape() as inner:
        loss = mse(net, x, y)
    for weight, gradient in zip(weights, inner.gradient(loss, weights)):
        weight.assign_sub(rate * gradient)  # fault


net = Net()
for number in range(2):
    task = Task()
    with tf.GradientTape() as outer:
        adapt(net, *task.draw(10))
        loss = mse(net, *task.draw(10))
    print(number, float(loss), outer.gradient(loss, rate))
