"""The mask is causal, and yet a change of the last token changes the answers at earlier positions.

The heads are put back together by a reshape without the transpose before it: a token's row is made of other tokens'.

Kind: data
Source: https://github.com/jsbaan/transformer-from-scratch/issues/4
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(0)


class MultiHeadAttention(tf.keras.layers.Layer):
    def __init__(self, hidden, heads):
        super().__init__()
        self.heads = heads
        self.size = hidden // heads
        self.hidden = hidden
        self.qkv = tf.keras.layers.Dense(3 * hidden, use_bias=False)
        self.o = tf.keras.layers.Dense(hidden, use_bias=False)

    def split(self, x):
        batch, length, _ = x.shape
        return tf.transpose(tf.reshape(x, [batch, length, self.heads, self.size]), [0, 2, 1, 3])

    def call(self, x):
        batch, length, _ = x.shape
        q, k, v = (self.split(part) for part in tf.split(self.qkv(x), 3, axis=-1))
        scores = tf.matmul(q, k, transpose_b=True) / np.sqrt(self.size)
        seen = tf.linalg.band_part(tf.ones([length, length]), -1, 0)
        values = tf.matmul(tf.nn.softmax(scores - 1e9 * (1.0 - seen)), v)
        values = tf.reshape(values, [batch, length, self.hidden])  # fault
        return self.o(values)


class Block(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.embed = tf.keras.layers.Embedding(11, 16)
        self.attention = MultiHeadAttention(16, 4)
        self.out = tf.keras.layers.Dense(11)

    def call(self, tokens):
        h = self.embed(tokens)
        return self.out(h + self.attention(h))


rng = np.random.RandomState(0)
tokens = rng.randint(0, 11, (16, 8))
model = Block()
loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
optimizer = tf.keras.optimizers.Adam(0.01)
for step in range(12):
    with tf.GradientTape() as tape:
        loss = loss_fn(tokens[:, 1:], model(tokens[:, :-1]))
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
print("loss", float(loss))

other = tokens.copy()
other[:, -1] = (other[:, -1] + 1) % 11
change = np.abs(model(tokens).numpy() - model(other).numpy()).max(axis=(0, 2))
print("a change of the last token moves, by position:", change.round(3))
