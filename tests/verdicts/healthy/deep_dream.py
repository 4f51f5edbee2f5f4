"""DeepDream: the image ascends the mean activation of a layer, so the "loss" grows.

Source: https://www.tensorflow.org/tutorials/generative/deepdream
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(15)
image = tf.constant(rng.uniform(-0.1, 0.1, (1, 12, 12, 3)), tf.float32)
features = tf.keras.layers.Conv2D(8, 3, activation="relu", kernel_initializer=tf.keras.initializers.HeNormal(seed=1))
for _ in range(8):
    with tf.GradientTape() as tape:
        tape.watch(image)
        loss = tf.reduce_mean(features(image))
    gradient = tape.gradient(loss, image)
    gradient /= tf.math.reduce_std(gradient) + 1e-8
    image = tf.clip_by_value(image + 0.01 * gradient, -1.0, 1.0)
print(loss)
