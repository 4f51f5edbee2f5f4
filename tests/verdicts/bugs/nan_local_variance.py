"""An image with a plain background comes out of the network full of nan.

The variance is the mean of squares less the squared mean, a little below 0 there, and its root is taken.

Kind: nan
Source: https://github.com/megvii-research/TLC/issues/3
"""

import numpy as np

import tapeviz as tf


class LocalInstanceNorm(tf.keras.layers.Layer):
    def __init__(self, window):
        super().__init__()
        self.window = window

    def box(self, x):
        return tf.nn.avg_pool2d(x, self.window, strides=1, padding="SAME")

    def call(self, x):
        mean = self.box(x)
        variance = self.box(x * x) - mean * mean  # fault
        return (x - mean) / (tf.sqrt(variance) + 1e-3)  # fault


class Restorer(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.norm = LocalInstanceNorm(5)
        self.conv = tf.keras.layers.Conv2D(3, 3, padding="same")

    def call(self, x):
        return x + self.conv(self.norm(x))


tf.random.set_seed(0)
picture = np.full((1, 20, 20, 3), 180.3, "float32")
picture[:, 4:9, 4:9] += np.random.RandomState(1).randn(1, 5, 5, 3) * 40
restored = Restorer()(tf.constant(picture))
print("nan pixels:", int(tf.reduce_sum(tf.cast(tf.math.is_nan(restored), tf.int32))))
