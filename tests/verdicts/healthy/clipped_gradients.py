"""A recurrent network with its gradients clipped by their global norm.

Source: https://arxiv.org/abs/1211.5063
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(10)
x = rng.normal(size=(32, 8, 1)).astype("float32")
y = x.sum(axis=1)
kernel = tf.Variable(rng.normal(scale=0.3, size=(1, 8)).astype("float32"))
recurrent = tf.Variable(np.eye(8, dtype="float32"))
head = tf.Variable(rng.normal(scale=0.3, size=(8, 1)).astype("float32"))
variables = [kernel, recurrent, head]
optimizer = tf.keras.optimizers.Adam(0.02)
for _ in range(15):
    with tf.GradientTape() as tape:
        state = tf.zeros([32, 8])
        for step in range(8):
            state = tf.tanh(x[:, step] @ kernel + state @ recurrent)
        loss = tf.reduce_mean((state @ head - y) ** 2)
    gradients, _ = tf.clip_by_global_norm(tape.gradient(loss, variables), 1.0)
    optimizer.apply_gradients(zip(gradients, variables, strict=True))
print(loss)
