"""The style encoder of the generator is as random after `fit` as before it.

`train_step` makes the gradients for the generator's variables alone; the encoder before it is a model of its own.

Kind: variables
Source: https://github.com/soumik12345/tf2_gans/issues/14
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(14)


class StyleTransfer(tf.keras.Model):
    def __init__(self, latent):
        super().__init__()
        self.encoder = tf.keras.Sequential(
            [
                tf.keras.layers.Dense(16, activation="relu"),
                tf.keras.layers.Dense(2 * latent),
            ]
        )
        self.generator = tf.keras.Sequential(
            [
                tf.keras.layers.Dense(24, activation="relu"),
                tf.keras.layers.Dense(12),
            ]
        )
        self.loss_tracker = tf.keras.metrics.Mean(name="loss")

    def call(self, inputs):
        label_map, style = inputs
        mean, log_variance = tf.split(self.encoder(style), 2, axis=1)
        latent = mean + tf.exp(0.5 * log_variance) * tf.random.normal(tf.shape(mean))
        return self.generator(tf.concat([label_map, latent], axis=1))

    def train_step(self, data):
        (label_map, style), image = data
        with tf.GradientTape() as tape:
            fake = self([label_map, style])
            loss = tf.reduce_mean(tf.abs(fake - image))
        variables = self.generator.trainable_variables  # fault
        gradients = tape.gradient(loss, variables)  # fault
        self.optimizer.apply_gradients(zip(gradients, variables))
        self.loss_tracker.update_state(loss)
        return {"loss": self.loss_tracker.result()}


rng = np.random.RandomState(14)
label_map = np.eye(4, dtype="float32")[rng.randint(0, 4, 64)]
style = rng.randn(64, 5).astype("float32")
image = (label_map @ rng.randn(4, 12) + style @ rng.randn(5, 12)).astype("float32")

model = StyleTransfer(latent=5)
model([label_map[:1], style[:1]])
before = [w.copy() for w in model.encoder.get_weights()]
model.compile(optimizer=tf.keras.optimizers.Adam(0.01))
history = model.fit((label_map, style), image, batch_size=16, epochs=4, verbose=0)
print(history.history["loss"])
print("encoder moved:", [bool((a != b).any()) for a, b in zip(before, model.encoder.get_weights())])
