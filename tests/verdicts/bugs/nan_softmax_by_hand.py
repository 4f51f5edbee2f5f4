"""The network's probabilities are nan for a few of the images.

The softmax is written as exp over the sum of exp, and exp of a score of a hundred is inf.

Kind: nan
Source: https://github.com/blue-oil/blueoil/pull/945
"""

import numpy as np

import tapeviz as tf


def softmax(scores):
    powers = tf.exp(scores)  # fault
    return powers / tf.reduce_sum(powers, axis=-1, keepdims=True)


@tf.function
def classify(images, kernel):
    return softmax(tf.matmul(tf.reshape(images, [-1, 64]), kernel))


rng = np.random.default_rng(12)
images = tf.constant(rng.integers(0, 256, (10, 8, 8)).astype("float32"))
kernel = tf.constant(0.05 * rng.normal(size=(64, 4)).astype("float32"))
probabilities = classify(images, kernel)
print("images with nan:", int(tf.reduce_sum(tf.cast(tf.reduce_any(tf.math.is_nan(probabilities), 1), tf.int32))))
