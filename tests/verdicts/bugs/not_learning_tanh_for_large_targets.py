"""The predictions are all 1, whatever the input is.

The last layer has a tanh, which ends at 1, and the targets are in the hundreds.

Kind: not_learning
Source: https://github.com/soumith/ganhacks/issues/75
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(36)
inputs = rng.normal(size=(80, 5)).astype("float32")
targets = 400 + 100 * inputs.sum(axis=1, keepdims=True)

model = tf.keras.Sequential([
    tf.keras.layers.Dense(16, activation="relu"),
    tf.keras.layers.Dense(1, activation="tanh"),  # fault
])  # fmt: skip
model.compile(tf.keras.optimizers.Adam(0.01), "mse")
model.fit(inputs, targets, epochs=3, verbose=0)
