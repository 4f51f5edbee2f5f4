"""The channel means are not taken off as they should: dark pixels come out near 255.

The means are cast to the uint8 of the image, lose their fraction, and the difference wraps around.

Kind: precision
Source: https://github.com/keras-team/keras-applications/pull/129
"""

import numpy as np

import tapeviz as tf

MEAN = [103.939, 116.779, 123.68]


def preprocess_input(x):
    x = x[..., ::-1]
    mean = tf.cast(tf.constant(MEAN), x.dtype)  # fault
    return tf.cast(x - mean, tf.float32)  # fault


class Backbone(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.conv = tf.keras.layers.Conv2D(4, 3, strides=2, activation="relu")
        self.out = tf.keras.layers.Dense(2)

    def call(self, images):
        features = self.conv(preprocess_input(images))
        return self.out(tf.reduce_mean(features, axis=[1, 2]))


tf.random.set_seed(0)
images = tf.constant(np.random.default_rng(0).integers(0, 256, (2, 12, 12, 3)).astype("uint8"))
prepared = preprocess_input(images)
print("smallest", float(tf.reduce_min(prepared)), "mean", float(tf.reduce_mean(prepared)))
print(Backbone()(images).numpy())
