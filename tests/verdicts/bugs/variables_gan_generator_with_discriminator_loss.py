"""The generator makes the same noise after training as before; only the discriminator's loss goes down.

The generator's loss is differentiated and applied for the discriminator's variables.

Kind: variables
Source: https://github.com/tadax/glcic/issues/10
"""

import numpy as np

import tapeviz as tf
from tapeviz.keras import layers

tf.random.set_seed(6)
rng = np.random.default_rng(6)
generator = tf.keras.Sequential([layers.Dense(12, activation="relu"), layers.Dense(2)], name="generator")
discriminator = tf.keras.Sequential([layers.Dense(12, activation="relu"), layers.Dense(1)], name="discriminator")
generator.build((None, 3))
discriminator.build((None, 2))
g_opt = tf.keras.optimizers.Adam(0.01)
d_opt = tf.keras.optimizers.Adam(0.01)
bce = tf.keras.losses.BinaryCrossentropy(from_logits=True)
before = [v.numpy() for v in generator.trainable_variables]


def discriminator_loss(real, fake):
    return bce(tf.ones_like(real), real) + bce(tf.zeros_like(fake), fake)


def generator_loss(fake):
    return bce(tf.ones_like(fake), fake)


def train_step(real):
    noise = rng.normal(size=(real.shape[0], 3)).astype("float32")
    with tf.GradientTape() as g_tape, tf.GradientTape() as d_tape:
        fake = generator(noise, training=True)
        real_output = discriminator(real, training=True)
        fake_output = discriminator(fake, training=True)
        g_loss = generator_loss(fake_output)
        d_loss = discriminator_loss(real_output, fake_output)
    g_gradients = g_tape.gradient(g_loss, discriminator.trainable_variables)  # fault
    d_gradients = d_tape.gradient(d_loss, discriminator.trainable_variables)
    g_opt.apply_gradients(zip(g_gradients, discriminator.trainable_variables))  # fault
    d_opt.apply_gradients(zip(d_gradients, discriminator.trainable_variables))
    return g_loss, d_loss


for step in range(10):
    real = rng.normal(size=(16, 2)).astype("float32") + 3
    g_loss, d_loss = train_step(real)
unchanged = all(np.array_equal(b, v.numpy()) for b, v in zip(before, generator.trainable_variables))
print("g", float(g_loss), "d", float(d_loss), "generator unchanged", unchanged)
