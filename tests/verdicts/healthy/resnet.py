"""A small ResNet with batch normalisation and projection shortcuts, trained by `fit` on uint8 images made floats.

Source: https://arxiv.org/abs/1512.03385
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(2)
rng = np.random.default_rng(2)
labels = rng.integers(0, 3, 48)
images = rng.integers(0, 80, (48, 12, 12, 3)).astype("uint8")
images[np.arange(48), :, :, labels] += 120
layers = tf.keras.layers


def block(x, filters, strides):
    shortcut = x
    y = layers.Conv2D(filters, 3, strides, padding="same", use_bias=False)(x)
    y = layers.Activation("relu")(layers.BatchNormalization()(y))
    y = layers.BatchNormalization()(layers.Conv2D(filters, 3, padding="same", use_bias=False)(y))
    if strides != 1:
        shortcut = layers.BatchNormalization()(layers.Conv2D(filters, 1, strides, use_bias=False)(x))
    return layers.Activation("relu")(y + shortcut)


inputs = tf.keras.Input((12, 12, 3))
x = layers.Conv2D(8, 3, padding="same", use_bias=False)(inputs)
x = layers.Activation("relu")(layers.BatchNormalization()(x))
for filters, strides in [(8, 1), (16, 2), (16, 1), (32, 2)]:
    x = block(x, filters, strides)
model = tf.keras.Model(inputs, layers.Dense(3)(layers.GlobalAveragePooling2D()(x)))
model.compile(tf.keras.optimizers.Adam(0.005), tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
history = model.fit(images.astype("float32") / 255.0, labels, batch_size=16, epochs=3, verbose=0)
print(history.history["loss"])
