"""Small models and data that many tests of training use."""

import numpy as np

import tapeviz as tf

layers = tf.keras.layers


def line(count=32, seed=0):
    """Inputs and targets on a line: y = 3 x + 1."""
    x = np.random.default_rng(seed).uniform(-1, 1, (count, 1)).astype("float32")
    return x, 3 * x + 1


def linear(**compiled):
    """One dense unit that begins at 0, compiled."""
    model = tf.keras.Sequential([layers.Dense(1, kernel_initializer="zeros")])
    model.compile(**{"optimizer": tf.keras.optimizers.SGD(0.1), "loss": "mse", **compiled})
    return model


class TwoHeads(tf.keras.Model):
    """Two outputs, as a dict or a list."""

    def __init__(self, as_dict=True):
        super().__init__()
        self.a = layers.Dense(1, kernel_initializer="ones")
        self.b = layers.Dense(1, kernel_initializer="zeros")
        self._as_dict = as_dict

    def call(self, x):
        found = {"a": self.a(x), "b": self.b(x)}
        return found if self._as_dict else list(found.values())
