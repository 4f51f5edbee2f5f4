"""Only the second model learns; the gradients of the first are None.

The first model's classes are taken with argmax before they go on, and argmax has no gradient.

Kind: none
Source: https://github.com/keras-team/keras/issues/11157
"""

import numpy as np

import tapeviz as tf
from tapeviz.keras import layers

tf.random.set_seed(4)
VOCABULARY, LATENT = 12, 8


class Encoder(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.embedding = layers.Embedding(VOCABULARY, LATENT)
        self.dense = layers.Dense(VOCABULARY, activation="softmax")

    def call(self, ids):
        return self.dense(self.embedding(ids))


class Decoder(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.embedding = layers.Embedding(VOCABULARY, LATENT)
        self.dense = layers.Dense(VOCABULARY)

    def call(self, ids):
        return self.dense(self.embedding(ids))


def pick_words(probabilities):
    return tf.argmax(probabilities, axis=-1)  # fault


encoder, decoder = Encoder(), Decoder()
rng = np.random.default_rng(4)
source = rng.integers(0, VOCABULARY, (16, 7))
loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
opt = tf.keras.optimizers.Adam(0.01)
for step in range(5):
    with tf.GradientTape() as tape:
        words = pick_words(encoder(source))
        loss = loss_fn(source, decoder(words))
    variables = encoder.trainable_variables + decoder.trainable_variables
    grads = tape.gradient(loss, variables)
    opt.apply_gradients([(g, v) for g, v in zip(grads, variables) if g is not None])
print([None if g is None else g.shape for g in grads])
