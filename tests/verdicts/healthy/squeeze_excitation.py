"""Channels are weighed by a sigmoid gate that broadcasts (b, 1, 1, c) over an image.

Source: https://arxiv.org/abs/1709.01507
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(10)
rng = np.random.default_rng(10)
labels = rng.integers(0, 2, 32)
images = rng.normal(size=(32, 8, 8, 3)).astype("float32")
images[:, :, :, 0] += labels[:, None, None]
layers = tf.keras.layers
inputs = tf.keras.Input((8, 8, 3))
x = layers.Conv2D(8, 3, activation="relu")(inputs)
gate = layers.Dense(8, activation="sigmoid")(layers.Dense(4, activation="relu")(layers.GlobalAveragePooling2D()(x)))
x = layers.Multiply()([x, layers.Reshape((1, 1, 8))(gate)])
model = tf.keras.Model(inputs, layers.Dense(1)(layers.GlobalAveragePooling2D()(x)))
model.compile(tf.keras.optimizers.Adam(0.02), tf.keras.losses.BinaryCrossentropy(from_logits=True))
print(model.fit(images, labels.astype("float32")[:, None], epochs=4, verbose=0).history["loss"])
