"""Readings of a sensor near 4000 come out of the normalization as numbers in the hundreds.

The variance is the mean of squares minus the square of the mean: both are 16 million, their difference 0.01.

Kind: precision
Source: https://github.com/k2-fsa/sherpa-onnx/pull/3857
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(9)
readings = (4000 + 0.1 * rng.normal(size=(64, 3))).astype("float32")


class Normalize(tf.keras.layers.Layer):
    def call(self, x):
        mean = tf.reduce_mean(x, axis=0)
        variance = tf.reduce_mean(x * x, axis=0) - mean * mean  # fault
        return (x - mean) / tf.sqrt(tf.maximum(variance, 0.0) + 1e-7)


normal = Normalize()(readings)
print("deviations", tf.math.reduce_std(normal, axis=0).numpy(), "should be 1")
