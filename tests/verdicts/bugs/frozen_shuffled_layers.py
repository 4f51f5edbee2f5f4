"""In a data pipeline the random policy always applies the same two operations; called directly it varies.

A Python list is shuffled in the layer's call, which the pipeline traces once.

Kind: frozen
Source: https://github.com/keras-team/keras/issues/21169
"""

import random

import numpy as np

import tapeviz as tf

random.seed(4)


class RandomPolicy(tf.keras.layers.Layer):
    def __init__(self, num_ops=2):
        super().__init__()
        self.num_ops = num_ops
        self.names = ["invert", "double", "flip", "shift"]

    def invert(self, x):
        return 1.0 - x

    def double(self, x):
        return 2.0 * x

    def flip(self, x):
        return x[:, ::-1]

    def shift(self, x):
        return x + 0.25

    def call(self, x):
        random.shuffle(self.names)  # fault
        for name in self.names[: self.num_ops]:
            x = getattr(self, name)(x)
        return x


data = np.tile(np.linspace(0, 1, 6, dtype="float32"), (24, 1))
layer = RandomPolicy()
direct = {tuple(np.round(layer(data[:2]).numpy()[0], 3)) for _ in range(12)}
pipeline = tf.data.Dataset.from_tensor_slices(data).batch(2).map(layer)
mapped = {tuple(np.round(batch.numpy()[0], 3)) for batch in pipeline}
print("different results directly", len(direct), "in the pipeline", len(mapped))
