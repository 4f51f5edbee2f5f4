"""Smoothed labels: the loss can't reach 0, and levels off above it.

Source: https://arxiv.org/abs/1512.00567
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(13)
rng = np.random.default_rng(13)
labels = rng.integers(0, 3, 60)
x = (rng.normal(scale=0.3, size=(60, 3)) + 2.0 * np.eye(3)[labels]).astype("float32")
model = tf.keras.Sequential([tf.keras.layers.Dense(3)])
smoothed = tf.keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=0.1)
model.compile(tf.keras.optimizers.Adam(0.1), smoothed)
print(model.fit(x, np.eye(3, dtype="float32")[labels], epochs=5, verbose=0).history["loss"])
