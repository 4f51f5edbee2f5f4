"""The learning rate rises linearly and decays by a cosine; early steps barely move the weights, by design.

Source: https://arxiv.org/abs/1608.03983
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(13)
rng = np.random.default_rng(13)
x = rng.normal(size=(64, 4)).astype("float32")
y = np.tanh(x.sum(axis=1, keepdims=True)).astype("float32")
model = tf.keras.Sequential([tf.keras.layers.Dense(16, activation="tanh"), tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.Adam(0.0)
for step in range(20):
    rate = (step + 1) / 5 if step < 5 else 0.5 * (1.0 + np.cos(np.pi * (step - 5) / 15))
    optimizer.learning_rate = 0.05 * rate
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
print(loss)
