"""A masked autoencoder: the loss counts hidden positions only, the visible ones get a gradient of exactly 0.

Source: https://arxiv.org/abs/2111.06377
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(6)
rng = np.random.default_rng(6)
x = (rng.normal(size=(64, 2)) @ rng.normal(size=(2, 10))).astype("float32")
model = tf.keras.Sequential([tf.keras.layers.Dense(32, activation="relu"), tf.keras.layers.Dense(10)])
optimizer = tf.keras.optimizers.Adam(0.01)
for _ in range(20):
    hidden = tf.constant(rng.random(x.shape) < 0.3, tf.float32)
    with tf.GradientTape() as tape:
        errors = (model(x * (1.0 - hidden), training=True) - x) ** 2
        loss = tf.reduce_sum(errors * hidden) / tf.reduce_sum(hidden)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
print(loss)
