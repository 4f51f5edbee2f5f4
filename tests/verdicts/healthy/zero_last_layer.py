"""A residual branch starts at zero by a last layer of zeros, so that the block begins as the identity.

Source: https://arxiv.org/abs/1901.09321
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(4)
rng = np.random.default_rng(4)
x = rng.normal(size=(64, 4)).astype("float32")
y = x + 0.5 * np.tanh(x[:, ::-1])
hidden = tf.keras.layers.Dense(16, activation="tanh")
last = tf.keras.layers.Dense(4, kernel_initializer="zeros")
optimizer = tf.keras.optimizers.Adam(0.02)
for _ in range(20):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((x + last(hidden(x)) - y) ** 2)
    variables = hidden.trainable_variables + last.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
print(loss)
