"""A recurrent network without a squashing function whose state overflows an exponential. Failure: nan."""

import numpy as np

import tapeviz as tf

UNITS, STEPS, BATCH, FEATURES = 6, 12, 5, 3
draw = np.random.default_rng(5)
series = tf.constant(draw.normal(size=(BATCH, STEPS, FEATURES)), tf.float32)
targets = tf.constant(draw.normal(size=(BATCH, 1)), tf.float32)


class Cell(tf.Module):
    def __init__(self):
        super().__init__()
        self.inner = tf.Variable(draw.normal(scale=0.9, size=(UNITS, UNITS)), dtype=tf.float32)
        self.outer = tf.Variable(draw.normal(scale=0.9, size=(FEATURES, UNITS)), dtype=tf.float32)
        self.bias = tf.Variable(tf.zeros([UNITS]))

    def __call__(self, x, state):
        raised = x @ self.outer + state @ self.inner + self.bias
        return tf.nn.relu(raised) * 3.0


class Readout(tf.Module):
    def __init__(self):
        super().__init__()
        self.weights = tf.Variable(draw.normal(scale=0.5, size=(UNITS, 1)), dtype=tf.float32)
        self.rate = tf.Variable(tf.zeros([1]))

    def __call__(self, state):
        rate = state @ self.weights + self.rate
        return tf.exp(rate)


cell, readout = Cell(), Readout()


def unrolled(series):
    state = tf.zeros([BATCH, UNITS])
    for step in range(STEPS):
        state = cell(series[:, step], state)
    return state


def poisson(rate, target):
    return tf.reduce_mean(rate - tf.abs(target) * tf.math.log(rate + 1e-7))


variables = [*cell.trainable_variables, *readout.trainable_variables]
with tf.GradientTape() as tape:
    state = unrolled(series)
    rate = readout(state)
    loss = poisson(rate, targets)
gradients = tape.gradient(loss, variables)
norm = tf.linalg.global_norm(gradients)
for variable, gradient in zip(variables, gradients, strict=True):
    variable.assign_sub(0.1 * gradient / (norm + 1.0))
