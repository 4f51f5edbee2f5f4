"""One step of MAML: the outer gradient goes through an inner gradient step.

Source: https://arxiv.org/abs/1703.03400
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(17)
w = tf.Variable(rng.normal(scale=0.5, size=(3, 1)).astype("float32"))
optimizer = tf.keras.optimizers.SGD(0.05)
for _ in range(10):
    losses = []
    with tf.GradientTape() as outer:
        for _ in range(4):
            task = np.array([[1.0], [-1.0], [0.5]]) + 0.1 * rng.normal(size=(3, 1))
            x = rng.normal(size=(20, 3)).astype("float32")
            y = (x @ task).astype("float32")
            with tf.GradientTape() as inner:
                support = tf.reduce_mean((x[:10] @ w - y[:10]) ** 2)
            adapted = w - 0.1 * inner.gradient(support, w)
            losses.append(tf.reduce_mean((x[10:] @ adapted - y[10:]) ** 2))
        loss = tf.add_n(losses) / 4.0
    optimizer.apply_gradients([(outer.gradient(loss, w), w)])
print(loss)
