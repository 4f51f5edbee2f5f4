"""A wide and a deep part of one model, each with its own optimizer.

Source: https://arxiv.org/abs/1606.07792
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(8)
rng = np.random.default_rng(8)
x = rng.normal(size=(64, 4)).astype("float32")
y = (x[:, :1] * 2.0 + np.sin(x[:, 1:2])).astype("float32")
wide = tf.keras.layers.Dense(1)
deep = tf.keras.Sequential([tf.keras.layers.Dense(16, activation="relu"), tf.keras.layers.Dense(1)])
optimizers = [tf.keras.optimizers.SGD(0.1), tf.keras.optimizers.Adam(0.01)]
for _ in range(15):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((wide(x) + deep(x) - y) ** 2)
    groups = [wide.trainable_variables, deep.trainable_variables]
    for optimizer, variables, gradients in zip(optimizers, groups, tape.gradient(loss, groups), strict=True):
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
print(loss)
