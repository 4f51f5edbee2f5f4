"""Bytes of images are cast before they are scaled, and a small network learns from them.

Source: https://www.tensorflow.org/tutorials/quickstart/beginner
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(6)
rng = np.random.default_rng(6)
labels = rng.integers(0, 2, 64)
images = (rng.integers(0, 100, (64, 5, 5)) + 100 * labels[:, None, None]).astype("uint8")
model = tf.keras.Sequential([tf.keras.layers.Flatten(), tf.keras.layers.Dense(2)])
model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
history = model.fit(tf.cast(images, tf.float32) / 255.0, labels, epochs=4, verbose=0)
print(history.history["loss"])
