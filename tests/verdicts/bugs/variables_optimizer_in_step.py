"""The same training with Adagrad gives another, worse curve when the step is put into a function.

The function makes its optimizer at each call: the accumulated squares start again every time.

Kind: variables
Source: https://github.com/tensorflow/tensorflow/issues/29675
"""

import numpy as np

import tapeviz as tf


class Line:
    def __init__(self):
        self.slope = tf.Variable(5.0)
        self.intercept = tf.Variable(0.0)

    def __call__(self, x):
        return self.slope * x + self.intercept


def squared_error(predicted, wanted):
    return tf.reduce_mean(tf.square(predicted - wanted))


def train(line, x, y, rate):
    variables = [line.slope, line.intercept]
    with tf.GradientTape() as tape:
        current = squared_error(line(x), y)
    optimizer = tf.keras.optimizers.Adagrad(learning_rate=rate, initial_accumulator_value=0.1)  # fault
    gradients = tape.gradient(current, variables)
    optimizer.apply_gradients(zip(gradients, variables))
    return current


rng = np.random.RandomState(1)
x = tf.constant(rng.randn(200).astype("float32"))
y = 3.0 * x + 2.0 + tf.constant(0.1 * rng.randn(200).astype("float32"))
line = Line()
for epoch in range(25):
    loss = train(line, x, y, 0.5)
    print(epoch, float(loss))
print(line.slope.numpy(), line.intercept.numpy())
