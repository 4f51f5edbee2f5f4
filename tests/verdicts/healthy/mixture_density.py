"""A mixture density network: a softmax, exponentials and a log-sum-exp in one loss.

Source: https://publications.aston.ac.uk/id/eprint/373/
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(7)
rng = np.random.default_rng(7)
x = rng.uniform(-1.0, 1.0, (64, 1)).astype("float32")
y = np.where(rng.random((64, 1)) < 0.5, x, -x).astype("float32") + 0.05 * rng.normal(size=(64, 1)).astype("float32")
model = tf.keras.Sequential([tf.keras.layers.Dense(16, activation="tanh"), tf.keras.layers.Dense(9)])
optimizer = tf.keras.optimizers.Adam(0.03)
for _ in range(20):
    with tf.GradientTape() as tape:
        shares, means, logs = tf.split(model(x, training=True), 3, axis=1)
        each = tf.nn.log_softmax(shares) - logs - 0.5 * ((y - means) * tf.exp(-logs)) ** 2
        loss = -tf.reduce_mean(tf.reduce_logsumexp(each, axis=1))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
print(loss)
