"""A variational autoencoder: reparametrised samples, a closed-form divergence, a custom `train_step` in `fit`.

Source: https://keras.io/examples/generative/vae/
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(6)
rng = np.random.default_rng(6)
factors = rng.normal(size=(64, 2))
x = (1.0 / (1.0 + np.exp(-3.0 * factors @ rng.normal(size=(2, 20))))).astype("float32")
layers = tf.keras.layers


class VAE(tf.keras.Model):
    """Encoder, sample and decoder."""

    def __init__(self):
        super().__init__()
        self.encoder = tf.keras.Sequential([layers.Dense(32, activation="relu"), layers.Dense(4)])
        self.decoder = tf.keras.Sequential([layers.Dense(32, activation="relu"), layers.Dense(20)])

    def call(self, data):
        mean, log_variance = tf.split(self.encoder(data), 2, axis=1)
        sample = mean + tf.exp(0.5 * log_variance) * tf.random.normal(tf.shape(mean))
        return self.decoder(sample), mean, log_variance

    def train_step(self, pair):
        data, target = pair
        with tf.GradientTape() as tape:
            logits, mean, log_variance = self(data, training=True)
            each = tf.nn.sigmoid_cross_entropy_with_logits(labels=target, logits=logits)
            divergence = -0.5 * (1.0 + log_variance - mean**2 - tf.exp(log_variance))
            loss = tf.reduce_mean(tf.reduce_sum(each, axis=1) + tf.reduce_sum(divergence, axis=1))
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
        return {"loss": loss}


model = VAE()
model.compile(tf.keras.optimizers.Adam(0.01))
print(model.fit(x, x, batch_size=16, epochs=4, verbose=0).history["loss"])
