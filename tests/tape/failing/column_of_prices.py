"""A regression whose column of predictions is taken from a row of prices. Failure: broadcast."""

import numpy as np

import tapeviz as tf

HOUSES, FEATURES = 40, 6
draw = np.random.default_rng(21)
features = draw.normal(size=(HOUSES, FEATURES)).astype("f4")
prices = (features @ draw.normal(size=FEATURES) + 0.1 * draw.normal(size=HOUSES)).astype("f4")


def standardized(rows):
    return (rows - rows.mean(axis=0)) / rows.std(axis=0)


class Regression(tf.Module):
    def __init__(self, hidden):
        super().__init__()
        self.inner = tf.Variable(draw.normal(scale=0.3, size=(FEATURES, hidden)), dtype=tf.float32, name="inner")
        self.shift = tf.Variable(tf.zeros([hidden]), name="shift")
        self.outer = tf.Variable(draw.normal(scale=0.3, size=(hidden, 1)), dtype=tf.float32, name="outer")
        self.level = tf.Variable(tf.zeros([1]), name="level")

    def __call__(self, rows):
        hidden = tf.nn.tanh(rows @ self.inner + self.shift)
        return hidden @ self.outer + self.level


def huber(error, delta):
    size = tf.abs(error)
    near = 0.5 * tf.square(error)
    far = delta * (size - 0.5 * delta)
    return tf.where(size <= delta, near, far)


rows, wanted = tf.constant(standardized(features)), tf.constant(prices)
regression = Regression(12)
optimizer = tf.keras.optimizers.SGD(0.05)
losses = []
for _ in range(2):
    for first in range(0, HOUSES, 20):
        batch, target = rows[first : first + 20], wanted[first : first + 20]
        with tf.GradientTape() as tape:
            predicted = regression(batch)
            error = predicted - target
            penalty = 1e-4 * tf.add_n([tf.nn.l2_loss(variable) for variable in regression.trainable_variables])
            loss = tf.reduce_mean(huber(error, 1.0)) + penalty
        gradients = tape.gradient(loss, regression.trainable_variables)
        optimizer.apply_gradients(zip(gradients, regression.trainable_variables, strict=True))
        losses.append(float(loss))
print(losses[-1])
