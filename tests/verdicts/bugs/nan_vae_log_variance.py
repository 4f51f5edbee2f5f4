"""With raw, unscaled columns the VAE's loss is inf and then nan.

The encoder's log variance has no bound, and exp of it overflows.

Kind: nan
Source: https://github.com/vanderschaarlab/synthcity/issues/331
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(21)


class Encoder(tf.keras.layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.hidden = tf.keras.layers.Dense(32, activation="relu")
        self.mu = tf.keras.layers.Dense(units)
        self.logvar = tf.keras.layers.Dense(units)

    def call(self, x):
        h = self.hidden(x)
        return self.mu(h), self.logvar(h)


class VAE(tf.keras.Model):
    def __init__(self, columns):
        super().__init__()
        self.encoder = Encoder(3)
        self.decoder = tf.keras.layers.Dense(columns)

    def call(self, x):
        mu, logvar = self.encoder(x)
        std = tf.exp(0.5 * logvar)  # fault
        z = mu + std * tf.random.normal(tf.shape(mu))
        kl = -0.5 * tf.reduce_sum(1.0 + logvar - tf.square(mu) - tf.exp(logvar), axis=1)  # fault
        self.add_loss(tf.reduce_mean(kl))
        return self.decoder(z)


rng = np.random.default_rng(2)
table = np.stack(
    [
        rng.integers(18, 90, 64),
        rng.lognormal(7, 1, 64),
        rng.integers(0, 2, 64),
        rng.normal(170, 10, 64),
    ],
    axis=1,
).astype("float32")

vae = VAE(4)
vae.compile(optimizer=tf.keras.optimizers.Adam(0.001), loss="mse")
history = vae.fit(table, table, epochs=3, batch_size=32, verbose=0)
print(history.history["loss"])
