"""The pictures are as good as black for the model: it learns next to nothing from them in its first epochs.

The pipeline divides the pixels by 255, and the model begins with the layer that does so as well.

Kind: data
Source: https://github.com/pkmital/pycadl/pull/5
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(31)
pixels = rng.integers(0, 256, (64, 8, 8, 1)).astype("uint8")
labels = (pixels.mean(axis=(1, 2, 3)) > 127).astype("int32")


def prepare(image, label):
    return tf.cast(image, tf.float32) / 255.0, label


dataset = tf.data.Dataset.from_tensor_slices((pixels, labels)).map(prepare).shuffle(64).batch(16)
model = tf.keras.Sequential([
    tf.keras.layers.Rescaling(1.0 / 255),  # fault
    tf.keras.layers.Conv2D(4, 3, activation="relu"),
    tf.keras.layers.GlobalAveragePooling2D(),
    tf.keras.layers.Dense(2),
])  # fmt: skip
model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(dataset, epochs=2, verbose=0)
