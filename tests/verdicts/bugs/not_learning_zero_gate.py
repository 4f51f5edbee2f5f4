"""The attention over depth never does anything: its aggregation stays at zero, whatever the training.

The projection has zero weights and no bias, and a relu has no slope at 0.

Kind: not_learning
Source: https://github.com/lucidrains/deep-cross-attention/issues/2
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(2)


class Aggregate(tf.keras.layers.Layer):
    def __init__(self, outputs):
        super().__init__()
        self.norm = tf.keras.layers.LayerNormalization()
        self.linear = tf.keras.layers.Dense(outputs, use_bias=False, kernel_initializer="zeros")  # fault

    def call(self, tokens):
        gates = tf.nn.relu(self.linear(self.norm(tokens)))  # fault
        return tf.reduce_sum(gates[..., None] * tokens[..., None, :], axis=-2)


class Block(tf.keras.Model):
    def __init__(self, dim):
        super().__init__()
        self.first = tf.keras.layers.Dense(dim, activation="tanh")
        self.aggregate = Aggregate(3)
        self.head = tf.keras.layers.Dense(1)

    def call(self, x):
        h = self.first(x)
        return self.head(h + self.aggregate(h))


rng = np.random.default_rng(2)
x = rng.normal(size=(64, 8)).astype("float32")
y = np.prod(x[:, :2], axis=1, keepdims=True)
model = Block(12)
model.compile("adam", "mse")
model.fit(x, y, epochs=6, batch_size=16, verbose=0)
print("largest gate weight", float(tf.reduce_max(tf.abs(model.aggregate.linear.kernel))))
