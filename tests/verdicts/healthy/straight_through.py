"""A binary code is rounded forward and passed through unchanged backward: stop_gradient is meant.

Source: https://arxiv.org/abs/1308.3432
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(11)
x = rng.normal(size=(64, 4)).astype("float32")
encoder = tf.Variable(rng.normal(scale=0.5, size=(4, 8)).astype("float32"))
decoder = tf.Variable(rng.normal(scale=0.5, size=(8, 4)).astype("float32"))
optimizer = tf.keras.optimizers.Adam(0.03)
for _ in range(30):
    with tf.GradientTape() as tape:
        soft = tf.sigmoid(x @ encoder)
        code = soft + tf.stop_gradient(tf.round(soft) - soft)
        loss = tf.reduce_mean((code @ decoder - x) ** 2)
    gradients = tape.gradient(loss, [encoder, decoder])
    optimizer.apply_gradients(zip(gradients, [encoder, decoder], strict=True))
print(loss)
