"""Sigmoid gates that begin nearly shut by a negative bias.

Source: https://arxiv.org/abs/1505.00387
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(9)
rng = np.random.default_rng(9)
x = rng.normal(size=(64, 6)).astype("float32")
y = (x[:, 0] * x[:, 1] > 0).astype("float32")[:, None]
gates = [
    tf.keras.layers.Dense(6, activation="sigmoid", bias_initializer=tf.keras.initializers.Constant(-2.0))
    for _ in range(3)
]
paths = [tf.keras.layers.Dense(6, activation="relu") for _ in range(3)]
head = tf.keras.layers.Dense(1)
optimizer = tf.keras.optimizers.Adam(0.02)
for _ in range(20):
    with tf.GradientTape() as tape:
        hidden = tf.constant(x)
        for gate, path in zip(gates, paths, strict=True):
            opened = gate(hidden)
            hidden = opened * path(hidden) + (1.0 - opened) * hidden
        loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=head(hidden)))
    variables = [v for layer in [*gates, *paths, head] for v in layer.trainable_variables]
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
print(loss)
