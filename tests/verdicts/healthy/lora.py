"""Low-rank adaptation: the up-projection starts at zero, so the down-projection's first gradient is exactly 0.

Source: https://arxiv.org/abs/2106.09685
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(3)
base = tf.Variable(rng.normal(size=(6, 6)).astype("float32"), trainable=False)
down = tf.Variable(rng.normal(scale=0.4, size=(6, 2)).astype("float32"))
up = tf.Variable(tf.zeros([2, 6]))
x = rng.normal(size=(40, 6)).astype("float32")
y = x @ (base.numpy() + 0.3 * rng.normal(size=(6, 1)) @ rng.normal(size=(1, 6))).astype("float32")
optimizer = tf.keras.optimizers.Adam(0.03)
for _ in range(25):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((x @ base + (x @ down) @ up - y) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, [down, up]), [down, up], strict=True))
print(loss)
