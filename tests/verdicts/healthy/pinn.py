"""A physics-informed network solves u' = -u with the derivative taken by a tape inside a tape.

Source: https://arxiv.org/abs/1711.10561
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(0)
t = tf.constant(np.linspace(0.0, 1.0, 20)[:, None], tf.float32)
model = tf.keras.Sequential([tf.keras.layers.Dense(16, activation="tanh"), tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.Adam(0.02)
for _ in range(20):
    with tf.GradientTape() as tape:
        with tf.GradientTape() as inner:
            inner.watch(t)
            u = model(t)
        slope = inner.gradient(u, t)
        loss = tf.reduce_mean((slope + u) ** 2) + tf.reduce_mean((model(tf.zeros([1, 1])) - 1.0) ** 2)
    variables = model.trainable_variables
    gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients(zip(gradients, variables, strict=True))
print(loss)
