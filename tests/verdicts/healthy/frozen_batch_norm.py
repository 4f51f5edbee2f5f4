"""Batch norm runs on its moving statistics while the layers around it learn, as fine-tuning wants.

Source: https://www.tensorflow.org/tutorials/images/transfer_learning
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(0)
rng = np.random.default_rng(0)
x = rng.normal(size=(64, 4)).astype("float32")
y = x[:, :1] * x[:, 1:2]
hidden, norm = tf.keras.layers.Dense(16, activation="relu"), tf.keras.layers.BatchNormalization()
head = tf.keras.layers.Dense(1)
norm.trainable = False
optimizer = tf.keras.optimizers.Adam(0.02)
for _ in range(20):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((head(norm(hidden(x), training=False)) - y) ** 2)
    variables = hidden.trainable_variables + head.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
print(loss)
