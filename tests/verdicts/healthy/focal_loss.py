"""Rare positives are weighed up by a focal loss on probabilities that are clipped away from 0 and 1.

Source: https://arxiv.org/abs/1708.02002
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(16)
x = rng.normal(size=(200, 2)).astype("float32")
y = (x.sum(axis=1, keepdims=True) > 2.0).astype("float32")
w, b = tf.Variable([[0.1], [0.2]]), tf.Variable([-2.0])
optimizer = tf.keras.optimizers.Adam(0.1)
for _ in range(20):
    with tf.GradientTape() as tape:
        p = tf.clip_by_value(tf.sigmoid(x @ w + b), 1e-7, 1.0 - 1e-7)
        right = y * p + (1.0 - y) * (1.0 - p)
        loss = -tf.reduce_mean((1.0 - right) ** 2 * tf.math.log(right))
    optimizer.apply_gradients(zip(tape.gradient(loss, [w, b]), [w, b], strict=True))
print(loss)
