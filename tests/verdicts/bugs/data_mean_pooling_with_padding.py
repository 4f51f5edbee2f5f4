"""The same sentence has another embedding when it stands in a batch with longer ones.

The mean over the tokens counts the padding too.

Kind: data
Source: https://github.com/jina-ai/clip-as-service/issues/93
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(10)
PAD = 0


class Encoder(tf.keras.Model):
    def __init__(self, vocabulary=30, width=6):
        super().__init__()
        self.embed = tf.keras.layers.Embedding(vocabulary, width)
        self.project = tf.keras.layers.Dense(width, activation="tanh")

    def call(self, ids):
        hidden = self.project(self.embed(ids))
        mask = tf.cast(tf.not_equal(ids, PAD), tf.float32)[:, :, None]
        hidden = hidden * mask
        return tf.reduce_mean(hidden, axis=1)  # fault


def pad(sentences, length):
    return np.array([s + [PAD] * (length - len(s)) for s in sentences])


encoder = Encoder()
short = [[5, 9, 3]]
alone = encoder(pad(short, 3)).numpy()[0]
together = encoder(pad(short + [[4, 7, 8, 2, 6, 1, 12, 11]], 8)).numpy()[0]
print("ratio of lengths", np.linalg.norm(together) / np.linalg.norm(alone))
