"""The model has fewer trainable variables than it should, and the blocks never change.

The blocks stand in a list that is no attribute of the model, so that only the variables of the head are asked for.

Kind: variables
Source: https://github.com/tensorflow/tensorflow/issues/29073
"""

import numpy as np

import tapeviz as tf
from tapeviz.keras import layers

tf.random.set_seed(19)
rng = np.random.default_rng(19)
BLOCKS = [layers.Dense(8, activation="relu") for _ in range(3)]


class Residual(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.head = layers.Dense(1)

    def call(self, x):
        for block in BLOCKS:
            x = x + block(x)
        return self.head(x)


model = Residual()
x = rng.normal(size=(32, 8)).astype("float32")
y = (x[:, :1] * x[:, 1:2]).astype("float32")
model(x)
before = BLOCKS[0].kernel.numpy()
optimizer = tf.keras.optimizers.Adam(0.01)
for step in range(10):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x) - y) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)  # fault
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
print(len(model.trainable_variables), "blocks unchanged", np.array_equal(before, BLOCKS[0].kernel.numpy()))
