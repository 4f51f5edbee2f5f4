"""A Wasserstein critic with a gradient penalty: a tape inside a tape.

Source: https://keras.io/examples/generative/wgan_gp/
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(16)
rng = np.random.default_rng(16)
critic = tf.keras.Sequential([tf.keras.layers.Dense(16, activation="tanh"), tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.Adam(0.01)
for _ in range(10):
    real = tf.constant(rng.normal(2.0, 1.0, (32, 2)), tf.float32)
    fake = tf.constant(rng.normal(0.0, 1.0, (32, 2)), tf.float32)
    with tf.GradientTape() as tape:
        between = fake + tf.constant(rng.uniform(size=(32, 1)), tf.float32) * (real - fake)
        with tf.GradientTape() as inner:
            inner.watch(between)
            score = critic(between, training=True)
        slopes = tf.sqrt(tf.reduce_sum(inner.gradient(score, between) ** 2, axis=1) + 1e-12)
        wasserstein = tf.reduce_mean(critic(fake, training=True)) - tf.reduce_mean(critic(real, training=True))
        loss = wasserstein + 10.0 * tf.reduce_mean((slopes - 1.0) ** 2)
    gradients = tape.gradient(loss, critic.trainable_variables)
    optimizer.apply_gradients(zip(gradients, critic.trainable_variables, strict=True))
print(loss)
