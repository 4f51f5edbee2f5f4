"""The loss of the autoencoder is nan, for some data sets only.

A depth that is exactly 0 has a predicted share of 0, and its logarithm is taken.

Kind: nan
Source: https://github.com/RasmussenLab/vamb/issues/12
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(0)
rng = np.random.default_rng(3)
SAMPLES = 6


class Autoencoder(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.encode = tf.keras.layers.Dense(12, activation="relu")
        self.decode = tf.keras.layers.Dense(SAMPLES)

    def call(self, depths):
        return tf.nn.softmax(self.decode(self.encode(depths)), axis=1)


def loss_of(depths, predicted):
    cross_entropy = -tf.reduce_sum(depths * tf.math.log(predicted), axis=1)  # fault
    return tf.reduce_mean(cross_entropy)


depths = rng.gamma(0.3, 400.0, (48, SAMPLES)).astype("float32")
depths[rng.random(depths.shape) < 0.3] = 0.0
shares = depths / np.maximum(depths.sum(axis=1, keepdims=True), 1.0)
model = Autoencoder()
optimizer = tf.keras.optimizers.SGD(0.5)

for epoch in range(12):
    for start in range(0, 48, 16):
        with tf.GradientTape() as tape:
            out = model(depths[start : start + 16])
            loss = loss_of(shares[start : start + 16], out)
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
    print(epoch, float(loss))
