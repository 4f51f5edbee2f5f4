"""A generator against a discriminator that is so sure that a logarithm of zero is taken. Failure: nan."""

import numpy as np

import tapeviz as tf

BATCH, NOISE, PIXELS, HIDDEN = 6, 4, 16, 10
draw = np.random.default_rng(3)
images = tf.constant(draw.uniform(0.0, 1.0, size=(BATCH, PIXELS)), tf.float32)


def dense(rows, columns, scale):
    kernel = tf.Variable(draw.normal(scale=scale, size=(rows, columns)), dtype=tf.float32)
    return kernel, tf.Variable(tf.zeros([columns]))


class Generator(tf.Module):
    def __init__(self):
        super().__init__()
        self.first, self.first_bias = dense(NOISE, HIDDEN, 0.5)
        self.second, self.second_bias = dense(HIDDEN, PIXELS, 0.5)

    def __call__(self, noise):
        hidden = tf.nn.leaky_relu(noise @ self.first + self.first_bias)
        return tf.sigmoid(hidden @ self.second + self.second_bias)


class Discriminator(tf.Module):
    def __init__(self):
        super().__init__()
        self.first, self.first_bias = dense(PIXELS, HIDDEN, 4.0)
        self.second, self.second_bias = dense(HIDDEN, 1, 60.0)

    def __call__(self, pixels):
        hidden = tf.nn.leaky_relu(pixels @ self.first + self.first_bias)
        return tf.sigmoid(hidden @ self.second + self.second_bias)


generator, discriminator = Generator(), Discriminator()
optimizers = tf.keras.optimizers.SGD(0.05), tf.keras.optimizers.SGD(0.05)


def losses(noise):
    fake = generator(noise)
    real_score, fake_score = discriminator(images), discriminator(fake)
    of_discriminator = -tf.reduce_mean(tf.math.log(real_score) + tf.math.log(1.0 - fake_score))
    of_generator = -tf.reduce_mean(tf.math.log(fake_score))
    return of_generator, of_discriminator


noise = tf.constant(draw.normal(size=(BATCH, NOISE)), tf.float32)
with tf.GradientTape(persistent=True) as tape:
    generator_loss, discriminator_loss = losses(noise)
for optimizer, part, loss in zip(
    optimizers, (generator, discriminator), (generator_loss, discriminator_loss), strict=True
):
    gradients = tape.gradient(loss, part.trainable_variables)
    optimizer.apply_gradients(zip(gradients, part.trainable_variables, strict=True))
