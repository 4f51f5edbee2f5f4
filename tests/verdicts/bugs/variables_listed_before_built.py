"""The loop runs without an error and the loss is the same number at every step.

The list of variables was taken before the model was called: it was built later, and the list is empty.

Kind: variables
Source: https://github.com/keras-team/keras-core/issues/707
"""

import numpy as np

import tapeviz as tf


class ResnetBlock(tf.keras.layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.first = tf.keras.layers.Dense(units, activation="relu")
        self.second = tf.keras.layers.Dense(units)
        self.projection = tf.keras.layers.Dense(units, use_bias=False)

    def call(self, inputs):
        return self.second(self.first(inputs)) + self.projection(inputs)


class Regressor(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.blocks = [ResnetBlock(12), ResnetBlock(12)]
        self.head = tf.keras.layers.Dense(1)

    def call(self, inputs):
        for block in self.blocks:
            inputs = block(inputs)
        return self.head(inputs)


tf.random.set_seed(5)
x = np.random.RandomState(3).randn(40, 7).astype("float32")
y = x[:, :1] * x[:, 1:2]
model = Regressor()
params = model.trainable_variables  # fault

for step in range(10):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x) - y))
    for p, g in zip(params, tape.gradient(loss, params)):  # fault
        p.assign_sub(0.05 * g)
    print(step, float(loss))
