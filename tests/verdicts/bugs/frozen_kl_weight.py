"""The weight of the divergence rises in the callback, but training goes on as if it were zero.

The loss reads a Python number, and the training step was traced while that was still 0.

Kind: frozen
Source: https://github.com/keras-team/keras/issues/13826
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(17)
rng = np.random.default_rng(17)
LATENT = 2


class VAE(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.kl_weight = 0.0
        self.encoder = tf.keras.Sequential(
            [
                tf.keras.layers.Dense(16, activation="relu"),
                tf.keras.layers.Dense(2 * LATENT),
            ]
        )
        self.decoder = tf.keras.Sequential(
            [
                tf.keras.layers.Dense(16, activation="relu"),
                tf.keras.layers.Dense(6),
            ]
        )

    def call(self, x):
        mean, logvar = tf.split(self.encoder(x), 2, axis=1)
        z = mean + tf.exp(0.5 * logvar) * tf.random.normal(tf.shape(mean))
        return self.decoder(z), mean, logvar

    def train_step(self, data):
        with tf.GradientTape() as tape:
            output, mean, logvar = self(data, training=True)
            reconstruction = tf.reduce_mean(tf.reduce_sum((output - data) ** 2, axis=1))
            kl = tf.reduce_mean(-0.5 * tf.reduce_sum(1 + logvar - mean**2 - tf.exp(logvar), axis=1))
            loss = reconstruction + self.kl_weight * kl  # fault
        variables = self.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return {"loss": loss, "reconstruction": reconstruction, "kl": kl}


class Annealing(tf.keras.callbacks.Callback):
    def on_epoch_begin(self, epoch, logs=None):
        self.model.kl_weight = min(1.0, epoch / 3)


x = rng.normal(size=(64, 2)) @ rng.normal(size=(2, 6))
vae = VAE()
vae.compile(optimizer=tf.keras.optimizers.Adam(0.01))
history = vae.fit(x.astype("float32"), batch_size=32, epochs=8, callbacks=[Annealing()], verbose=0).history
print("weight", vae.kl_weight)
print("loss minus reconstruction", np.subtract(history["loss"], history["reconstruction"]))
