"""The additive noise is as loud in each batch, although the gain is said to be random.

The layer draws its gain with NumPy in call, and fit traces call once.

Kind: frozen
Source: https://github.com/keunwoochoi/kapre/issues/35
"""

import numpy as np

import tapeviz as tf

np.random.seed(12)
tf.random.set_seed(12)


class AdditiveNoise(tf.keras.layers.Layer):
    def __init__(self, power=0.5, random_gain=True):
        super().__init__()
        self.power, self.random_gain = power, random_gain
        self.heard = tf.Variable(tf.zeros([0]), shape=[None], trainable=False)

    def call(self, x, training=None):
        gain = self.power
        if self.random_gain:
            gain = np.random.uniform(0.0, self.power)  # fault
        if not training:
            return x
        noise = tf.random.normal(tf.shape(x), stddev=gain)
        self.heard.assign(tf.concat([self.heard, [tf.math.reduce_std(noise)]], axis=0))
        return x + noise


waves = np.sin(np.linspace(0, 30, 64 * 32)).reshape(64, 32).astype("float32")
kinds = (np.arange(64) % 2).astype("float32")
noise = AdditiveNoise()
model = tf.keras.Sequential([noise, tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(1)])
model.compile(optimizer="sgd", loss=tf.keras.losses.BinaryCrossentropy(from_logits=True))
model.fit(waves, kinds, batch_size=16, epochs=3, verbose=0)
print("loudness of the batches", np.round(noise.heard.numpy(), 2))
