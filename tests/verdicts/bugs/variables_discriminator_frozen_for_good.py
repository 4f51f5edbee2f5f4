"""The discriminator's loss stays where it began, whatever the generator does.

It was made not trainable for the generator's step and never trainable again, so its list of variables is empty.

Kind: variables
Source: https://github.com/eriklindernoren/Keras-GAN/issues/22
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(11)
LATENT = 4


def build_generator():
    model = tf.keras.Sequential()
    model.add(tf.keras.layers.Dense(16, input_dim=LATENT))
    model.add(tf.keras.layers.LeakyReLU(0.2))
    model.add(tf.keras.layers.Dense(2))
    return model


def build_discriminator():
    model = tf.keras.Sequential()
    model.add(tf.keras.layers.Dense(16, input_dim=2))
    model.add(tf.keras.layers.LeakyReLU(0.2))
    model.add(tf.keras.layers.Dense(1))
    return model


bce = tf.keras.losses.BinaryCrossentropy(from_logits=True)
generator, discriminator = build_generator(), build_discriminator()
discriminator.trainable = False  # fault


def update(variables, gradients, rate):
    for variable, gradient in zip(variables, gradients):
        variable.assign_sub(rate * gradient)


def train_discriminator(real):
    noise = tf.random.normal([len(real), LATENT])
    with tf.GradientTape() as tape:
        on_real = discriminator(real)
        on_fake = discriminator(generator(noise))
        loss = bce(tf.ones_like(on_real), on_real) + bce(tf.zeros_like(on_fake), on_fake)
    variables = discriminator.trainable_variables
    update(variables, tape.gradient(loss, variables), 0.1)  # fault
    return float(loss)


def train_generator(count):
    noise = tf.random.normal([count, LATENT])
    with tf.GradientTape() as tape:
        on_fake = discriminator(generator(noise))
        loss = bce(tf.ones_like(on_fake), on_fake)
    update(generator.trainable_variables, tape.gradient(loss, generator.trainable_variables), 0.02)
    return float(loss)


rng = np.random.RandomState(0)
for epoch in range(20):
    real = rng.normal([2.0, -1.0], 0.3, (32, 2)).astype("float32")
    d_loss = train_discriminator(real)
    g_loss = train_generator(32)
    if epoch % 5 == 0:
        print(epoch, d_loss, g_loss)
