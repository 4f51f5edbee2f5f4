"""A U-Net segments bright squares: pooling down, transposed convolutions up, skip connections, one logit a pixel.

Source: https://www.tensorflow.org/tutorials/images/segmentation
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(8)
rng = np.random.default_rng(8)
masks = np.zeros((16, 16, 16, 1), "float32")
for mask, (row, column) in zip(masks, rng.integers(0, 10, (16, 2)), strict=True):
    mask[row : row + 6, column : column + 6] = 1.0
images = masks + rng.normal(scale=0.3, size=masks.shape).astype("float32")
layers = tf.keras.layers


def double(x, filters):
    for _ in range(2):
        x = layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
    return x


inputs = tf.keras.Input((16, 16, 1))
fine = double(inputs, 6)
middle = double(layers.MaxPooling2D()(fine), 12)
coarse = double(layers.MaxPooling2D()(middle), 24)
x = layers.Conv2DTranspose(12, 2, strides=2)(coarse)
x = double(layers.Concatenate()([x, middle]), 12)
x = layers.Conv2DTranspose(6, 2, strides=2)(x)
x = double(layers.Concatenate()([x, fine]), 6)
model = tf.keras.Model(inputs, layers.Conv2D(1, 1)(x))
model.compile(tf.keras.optimizers.Adam(0.01), tf.keras.losses.BinaryCrossentropy(from_logits=True))
print(model.fit(images, masks, batch_size=8, epochs=4, verbose=0).history["loss"])
