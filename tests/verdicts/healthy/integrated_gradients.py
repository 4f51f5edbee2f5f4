"""The attributions of a prediction: gradients along a path of images from black, averaged.

Source: https://www.tensorflow.org/tutorials/interpretability/integrated_gradients
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(2)
w = tf.constant(rng.normal(size=(9, 3)), tf.float32)
image = tf.constant(rng.uniform(size=9), tf.float32)
alphas = tf.linspace(0.0, 1.0, 21)
path = alphas[:, None] * image
with tf.GradientTape() as tape:
    tape.watch(path)
    chance = tf.nn.softmax(path @ w, axis=1)[:, 1]
slopes = tape.gradient(chance, path)
attributions = image * tf.reduce_mean((slopes[:-1] + slopes[1:]) / 2.0, axis=0)
print(tf.reduce_sum(attributions), chance[-1] - chance[0])
