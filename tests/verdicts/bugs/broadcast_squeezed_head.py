"""The loss of the regression head falls to the variance of the labels and no further.

The logits are squeezed and the labels are not: (32,) minus (32, 1).

Kind: broadcast
Source: https://github.com/deepset-ai/FARM/issues/229
"""

import numpy as np

import tapeviz as tf


class RegressionHead(tf.keras.layers.Layer):
    def __init__(self, width, **kwargs):
        super().__init__(**kwargs)
        self.projection = tf.keras.layers.Dense(width, activation="tanh")
        self.out = tf.keras.layers.Dense(1)

    def call(self, pooled):
        return tf.squeeze(self.out(self.projection(pooled)))

    def logits_to_loss(self, logits, labels):
        return tf.reduce_mean(tf.math.squared_difference(logits, labels))  # fault


tf.random.set_seed(6)
rng = np.random.default_rng(6)
pooled = tf.constant(rng.normal(size=(32, 12)), tf.float32)
labels = tf.constant(pooled.numpy()[:, :1] * 4 + 8)
head = RegressionHead(16)
optimizer = tf.keras.optimizers.Adam(0.05)
for epoch in range(60):
    with tf.GradientTape() as tape:
        loss = head.logits_to_loss(head(pooled), labels)
    gradients = tape.gradient(loss, head.trainable_variables)
    optimizer.apply_gradients(zip(gradients, head.trainable_variables))
print("loss", float(loss), "variance of the labels", labels.numpy().var())
