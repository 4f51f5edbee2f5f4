"""The number of training steps that the object counts stays at one.

Adding to a Python attribute is done when the function is traced, not when it is called.

Kind: frozen
Source: https://github.com/tensorflow/tensorflow/issues/31362
"""

import numpy as np

import tapeviz as tf


class Trainer:
    def __init__(self):
        self.steps = 0
        self.losses = []
        self.weight = tf.Variable([[0.0], [0.0]])

    @tf.function
    def train(self, x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((tf.matmul(x, self.weight) - y) ** 2)
        self.weight.assign_sub(0.1 * tape.gradient(loss, self.weight))
        self.steps += 1  # fault
        return loss


rng = np.random.default_rng(0)
x = tf.constant(rng.normal(size=(20, 2)), tf.float32)
y = tf.matmul(x, [[1.0], [-1.0]])
trainer = Trainer()
for _ in range(8):
    loss = trainer.train(x, y)
print("steps", trainer.steps, "loss", float(loss))
