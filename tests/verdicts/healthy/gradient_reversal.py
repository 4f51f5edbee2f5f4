"""Domain-adversarial training reverses the gradient of one branch through a custom gradient.

Source: https://arxiv.org/abs/1505.07818
"""

import numpy as np

import tapeviz as tf


@tf.custom_gradient
def reverse(x):
    return tf.identity(x), lambda upstream: -0.1 * upstream


tf.random.set_seed(18)
rng = np.random.default_rng(18)
x = rng.normal(size=(64, 4)).astype("float32")
y = (x[:, 0] > 0).astype("int64")
domain = (x[:, 3] > 0).astype("int64")
features = tf.keras.layers.Dense(8, activation="tanh")
classes = tf.keras.layers.Dense(2)
domains = tf.keras.layers.Dense(2)
cross_entropy = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
optimizer = tf.keras.optimizers.Adam(0.03)
for _ in range(15):
    with tf.GradientTape() as tape:
        hidden = features(x)
        loss = cross_entropy(y, classes(hidden)) + cross_entropy(domain, domains(reverse(hidden)))
    variables = features.trainable_variables + classes.trainable_variables + domains.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
print(loss)
