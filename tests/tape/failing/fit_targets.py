"""A model with four outputs is fitted to targets with three columns. Failure: error."""

import numpy as np

import tapeviz as tf

EXAMPLES, FEATURES, OUTPUTS = 24, 9, 4
draw = np.random.default_rng(2)
inputs = draw.normal(size=(EXAMPLES, FEATURES)).astype("f4")
weights = draw.normal(size=(FEATURES, 3)).astype("f4")
targets = np.tanh(inputs @ weights) + 0.05 * draw.normal(size=(EXAMPLES, 3)).astype("f4")


class Residual(tf.keras.layers.Layer):
    def __init__(self, units, **options):
        super().__init__(**options)
        self.units = units

    def build(self, shape):
        self.inner = tf.keras.layers.Dense(self.units, activation="relu")
        self.outer = tf.keras.layers.Dense(shape[-1])
        self.norm = tf.keras.layers.LayerNormalization()

    def call(self, x):
        return self.norm(x + self.outer(self.inner(x)))


class Network(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.embed = tf.keras.layers.Dense(8)
        self.blocks = [Residual(16), Residual(16)]
        self.dropout = tf.keras.layers.Dropout(0.1)
        self.head = tf.keras.layers.Dense(OUTPUTS)

    def call(self, x, training=False):
        x = self.embed(x)
        for block in self.blocks:
            x = block(x)
        return self.head(self.dropout(x, training=training))


def shuffled(inputs, targets):
    order = draw.permutation(len(inputs))
    return inputs[order], targets[order]


network = Network()
network.compile(tf.keras.optimizers.Adam(1e-3), loss="mse", metrics=["mae"])
inputs, targets = shuffled(inputs, targets)
train, valid = slice(0, 16), slice(16, None)
history = network.fit(
    inputs[train],
    targets[train],
    validation_data=(inputs[valid], targets[valid]),
    epochs=2,
    batch_size=8,
    verbose=0,
)
