"""The reconstructions stay grey noise, and the decoder's weights never change.

The optimizer of the shared autoencoder is given the encoder's variables and not the decoder's.

Kind: variables
Source: https://github.com/zdebruine/MMVAE/issues/39
"""

import numpy as np

import tapeviz as tf


def mlp(sizes, last=None):
    layers = [tf.keras.layers.Dense(size, activation="relu") for size in sizes[:-1]]
    return tf.keras.Sequential([*layers, tf.keras.layers.Dense(sizes[-1], activation=last)])


class SharedVAE:
    def __init__(self, genes, latent):
        self.encoder = mlp([24, 2 * latent])
        self.decoder = mlp([24, genes])
        self.latent = latent

    def loss(self, batch):
        mean, log_var = tf.split(self.encoder(batch), 2, axis=1)
        z = mean + tf.exp(0.5 * log_var) * tf.random.normal(tf.shape(mean))
        reconstruction = self.decoder(z)
        error = tf.reduce_mean(tf.reduce_sum(tf.square(batch - reconstruction), axis=1))
        kl = -0.5 * tf.reduce_mean(tf.reduce_sum(1 + log_var - mean**2 - tf.exp(log_var), axis=1))
        return error + 0.1 * kl


tf.random.set_seed(0)
rng = np.random.default_rng(0)
cells = tf.constant((rng.normal(size=(96, 2)) @ rng.normal(size=(2, 20)) + 3.0).astype("float32"))
vae = SharedVAE(genes=20, latent=2)
vae.loss(cells[:1])
before = [v.numpy() for v in vae.decoder.trainable_variables]
optimizer = tf.keras.optimizers.Adam(0.005)

for epoch in range(20):
    for start in range(0, 96, 32):
        batch = cells[start : start + 32]
        with tf.GradientTape() as tape:
            loss = vae.loss(batch)
        grads = tape.gradient(loss, vae.encoder.trainable_variables)  # fault
        optimizer.apply_gradients(zip(grads, vae.encoder.trainable_variables))
    if epoch % 5 == 0:
        print(epoch, float(loss))
print("decoder changed:", [bool((a != v.numpy()).any()) for a, v in zip(before, vae.decoder.trainable_variables)])
