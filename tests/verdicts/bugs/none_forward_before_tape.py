"""The total loss of the autoencoder is a number, but no weight has a gradient.

The encoder and the decoder run before the tape is opened; only the loss is computed inside.

Kind: none
Source: https://github.com/tensorflow/tensorflow/issues/54341
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(1)


class VAE(tf.keras.Model):
    def __init__(self, latent=3):
        super().__init__()
        self.enc = tf.keras.layers.Dense(32, activation="relu")
        self.mu = tf.keras.layers.Dense(latent)
        self.log_var = tf.keras.layers.Dense(latent)
        self.dec = tf.keras.layers.Dense(32, activation="relu")
        self.out = tf.keras.layers.Dense(64, activation="sigmoid")

    def reparameterize(self, mu, log_var):
        return mu + tf.exp(0.5 * log_var) * tf.random.normal(tf.shape(mu))

    def call(self, x):
        h = self.enc(x)
        mu, log_var = self.mu(h), self.log_var(h)
        z = self.reparameterize(mu, log_var)
        return self.out(self.dec(z)), mu, log_var


def compute_total_loss(data, reconstruction, mu, log_var, alpha=1.0):
    error = tf.reduce_mean(tf.reduce_sum(tf.square(data - reconstruction), axis=1))
    kl = -0.5 * tf.reduce_sum(1 + log_var - tf.square(mu) - tf.exp(log_var), axis=1)
    return alpha * error + tf.reduce_mean(kl)


X = tf.constant(np.random.default_rng(2).random((16, 64), dtype="float32"))
model = VAE()
X_recon, mu, log_var = model(X)  # fault

with tf.GradientTape() as tape:
    total_loss = compute_total_loss(data=X, reconstruction=X_recon, mu=mu, log_var=log_var)

grads = tape.gradient(total_loss, model.trainable_weights)
print(float(total_loss))
for g in grads:
    print(g)
