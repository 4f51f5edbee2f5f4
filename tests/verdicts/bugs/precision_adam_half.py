"""The loss is nan from the second step on when everything is float16.

Adam by hand with the usual 1e-8: in half precision it is 0, and so is the square of a small gradient.

Kind: precision
Source: https://github.com/keras-team/keras/issues/11860
"""

import numpy as np

import tapeviz as tf

half = tf.float16
rng = np.random.RandomState(0)
x = tf.constant(rng.rand(64, 5), dtype=half)
y = tf.constant(rng.rand(64, 1) * 0.01, dtype=half)
w = tf.Variable(tf.cast(0.01 * rng.randn(5, 1), half))
b = tf.Variable(tf.zeros([1], dtype=half))


class HalfAdam:
    def __init__(self, variables, rate=1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-8):
        self.variables = variables
        self.rate, self.beta_1, self.beta_2, self.epsilon = rate, beta_1, beta_2, epsilon
        self.m = [tf.Variable(tf.zeros_like(v)) for v in variables]
        self.v = [tf.Variable(tf.zeros_like(v)) for v in variables]

    def step(self, gradients):
        for variable, g, m, v in zip(self.variables, gradients, self.m, self.v):
            m.assign(self.beta_1 * m + (1 - self.beta_1) * g)
            v.assign(self.beta_2 * v + (1 - self.beta_2) * g * g)  # fault
            variable.assign_sub(self.rate * m / (tf.sqrt(v) + self.epsilon))  # fault


optimizer = HalfAdam([w, b])
for step in range(5):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
    optimizer.step(tape.gradient(loss, [w, b]))
    print(step, float(loss))
