"""The custom loss trains nothing: the gradient of each weight is None.

The predicted counts are rounded within the loss, and round has no gradient.

Kind: none
Source: https://github.com/keras-team/keras/issues/4175
"""

import numpy as np

import tapeviz as tf
from tapeviz.keras import layers

tf.random.set_seed(9)
rng = np.random.default_rng(9)


class CountLoss(tf.keras.losses.Loss):
    def __init__(self, penalty=0.5):
        super().__init__()
        self.penalty = penalty

    def call(self, y_true, y_pred):
        counts = tf.round(y_pred)  # fault
        over = tf.maximum(counts - y_true, 0.0)
        under = tf.maximum(y_true - counts, 0.0)
        return tf.reduce_mean(under + self.penalty * over, axis=-1)


class Counter(tf.keras.Model):
    def __init__(self, units=10):
        super().__init__()
        self.first = layers.Dense(units, activation="relu")
        self.second = layers.Dense(1, activation="softplus")

    def call(self, inputs):
        return self.second(self.first(inputs))


visits = rng.poisson(4, (50, 1)).astype("float32")
weather = rng.normal(size=(50, 6)).astype("float32")
model, criterion = Counter(), CountLoss()
for epoch in range(2):
    with tf.GradientTape() as tape:
        loss = criterion(visits, model(weather, training=True))
    gradients = tape.gradient(loss, model.trainable_variables)
    print(float(loss), gradients)
