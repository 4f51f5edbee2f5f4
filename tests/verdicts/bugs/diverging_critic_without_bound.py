"""The critic's loss runs to minus infinity and the generator gets nowhere.

The Wasserstein critic is bounded by nothing: its weights are neither clipped nor penalized.

Kind: diverging
Source: https://github.com/torchgan/torchgan/pull/42
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(14)
rng = np.random.default_rng(14)


def make_generator():
    return tf.keras.Sequential([tf.keras.layers.Dense(16, activation="relu"), tf.keras.layers.Dense(2)])


def make_critic():
    return tf.keras.Sequential(
        [
            tf.keras.layers.Dense(16, activation="relu"),
            tf.keras.layers.Dense(16, activation="relu"),
            tf.keras.layers.Dense(1),
        ]
    )


class WGAN:
    def __init__(self):
        self.generator, self.critic = make_generator(), make_critic()
        self.g_opt = tf.keras.optimizers.RMSprop(5e-3)
        self.c_opt = tf.keras.optimizers.RMSprop(2e-2)

    def critic_loss(self, real, fake):
        return tf.reduce_mean(self.critic(fake)) - tf.reduce_mean(self.critic(real))  # fault

    def critic_step(self, real, noise):
        with tf.GradientTape() as tape:
            loss = self.critic_loss(real, self.generator(noise))
        variables = self.critic.trainable_variables
        self.c_opt.apply_gradients(zip(tape.gradient(loss, variables), variables))  # fault
        return loss

    def generator_step(self, noise):
        with tf.GradientTape() as tape:
            loss = -tf.reduce_mean(self.critic(self.generator(noise)))
        variables = self.generator.trainable_variables
        self.g_opt.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss


gan = WGAN()
real = tf.constant(rng.normal([4, -4], 0.3, (32, 2)), tf.float32)
for step in range(12):
    for _ in range(5):
        c_loss = gan.critic_step(real, tf.random.normal([32, 4]))
    g_loss = gan.generator_step(tf.random.normal([32, 4]))
    print(step, "critic", float(c_loss), "generator", float(g_loss))
