"""The group normalization gives NaN for flat image regions, in half precision only.

The epsilon of 1e-12 is 0 as a float16, so the variance of a constant group is divided by as it is.

Kind: precision
Source: https://github.com/keras-team/keras/issues/22586
"""

import numpy as np

import tapeviz as tf


class GroupNorm(tf.keras.layers.Layer):
    def __init__(self, groups, epsilon):
        super().__init__(dtype="float16")
        self.groups = groups
        self.epsilon = epsilon

    def build(self, shape):
        self.gamma = self.add_weight(name="gamma", shape=[shape[-1]], initializer="ones", dtype="float16")
        self.beta = self.add_weight(name="beta", shape=[shape[-1]], initializer="zeros", dtype="float16")

    def call(self, x):
        batch, height, width, channels = x.shape
        grouped = tf.reshape(x, [batch, height, width, self.groups, channels // self.groups])
        mean = tf.reduce_mean(grouped, axis=[1, 2, 4], keepdims=True)
        centred = grouped - mean
        variance = tf.reduce_mean(centred * centred, axis=[1, 2, 4], keepdims=True)
        epsilon = tf.constant(self.epsilon, dtype=tf.float16)  # fault
        normed = centred * tf.math.rsqrt(variance + epsilon)  # fault
        return tf.reshape(normed, x.shape) * self.gamma + self.beta


images = np.random.default_rng(0).uniform(0, 1, (2, 6, 6, 4)).astype("float16")
images[1, :, :, 2:] = 0.5
norm = GroupNorm(groups=2, epsilon=1e-12)
out = norm(tf.constant(images))
print("NaN:", bool(np.isnan(out.numpy()).any()), "in image 0:", bool(np.isnan(out.numpy()[0]).any()))
