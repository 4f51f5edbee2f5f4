"""A denoising diffusion model predicts the noise at random times; signal and noise rates broadcast as (n, 1).

Source: https://arxiv.org/abs/2006.11239
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(7)
rng = np.random.default_rng(7)
angles = rng.uniform(0.0, 2.0 * np.pi, 128)
points = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype("float32")
model = tf.keras.Sequential([tf.keras.layers.Dense(32, activation="relu"), tf.keras.layers.Dense(2)])
optimizer = tf.keras.optimizers.Adam(0.01)
for _ in range(25):
    times = tf.random.uniform([128, 1])
    noise = tf.random.normal([128, 2])
    blurred = tf.cos(1.57 * times) * points + tf.sin(1.57 * times) * noise
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(tf.concat([blurred, times], axis=1), training=True) - noise) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
print(loss)
