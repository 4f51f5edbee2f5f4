"""Dropout stays on at prediction, to read the uncertainty from the spread of the answers.

Source: https://www.depends-on-the-definition.com/model-uncertainty-in-deep-learning-with-monte-carlo-dropout/
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(0)
rng = np.random.default_rng(0)
x = rng.normal(size=(16, 4)).astype("float32")
model = tf.keras.Sequential(
    [tf.keras.layers.Dense(16, activation="relu"), tf.keras.layers.Dropout(0.5), tf.keras.layers.Dense(1)]
)
samples = tf.stack([model(x, training=True) for _ in range(10)])
print(tf.math.reduce_std(samples, axis=0)[:3])
