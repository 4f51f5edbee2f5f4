"""A generator and a discriminator play: each optimizer gets the gradients of its own player's variables only.

Source: https://www.tensorflow.org/tutorials/generative/dcgan
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(5)
rng = np.random.default_rng(5)
layers = tf.keras.layers
generator = tf.keras.Sequential(
    [
        layers.Dense(4 * 4 * 8, use_bias=False),
        layers.BatchNormalization(),
        layers.LeakyReLU(),
        layers.Reshape((4, 4, 8)),
        layers.Conv2DTranspose(1, 4, strides=2, padding="same", activation="tanh"),
    ]
)
discriminator = tf.keras.Sequential(
    [layers.Conv2D(8, 4, 2, padding="same"), layers.LeakyReLU(), layers.Dropout(0.3), layers.Flatten(), layers.Dense(1)]
)
cross_entropy = tf.keras.losses.BinaryCrossentropy(from_logits=True)
optimizers = [tf.keras.optimizers.Adam(2e-3, beta_1=0.5), tf.keras.optimizers.Adam(2e-3, beta_1=0.5)]
for _ in range(6):
    real = tf.constant(np.tanh(rng.normal(0.5, 0.5, (16, 8, 8, 1))), tf.float32)
    with tf.GradientTape() as generator_tape, tf.GradientTape() as discriminator_tape:
        fake = generator(tf.random.normal([16, 10]), training=True)
        real_logits = discriminator(real, training=True)
        fake_logits = discriminator(fake, training=True)
        generator_loss = cross_entropy(tf.ones_like(fake_logits), fake_logits)
        discriminator_loss = cross_entropy(tf.ones_like(real_logits), real_logits)
        discriminator_loss += cross_entropy(tf.zeros_like(fake_logits), fake_logits)
    steps = [(generator, generator_tape, generator_loss), (discriminator, discriminator_tape, discriminator_loss)]
    for (player, tape, loss), optimizer in zip(steps, optimizers, strict=True):
        gradients = tape.gradient(loss, player.trainable_variables)
        optimizer.apply_gradients(zip(gradients, player.trainable_variables, strict=True))
print(generator_loss, discriminator_loss)
