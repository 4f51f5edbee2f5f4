"""A robust fit whose few outliers keep the loss well above zero.

Source: https://www.tensorflow.org/api_docs/python/tf/keras/losses/Huber
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(4)
x = rng.uniform(-1.0, 1.0, 60).astype("float32")
y = 2.0 * x
y[::10] += 30.0
w, b = tf.Variable(0.1), tf.Variable(0.0)
huber = tf.keras.losses.Huber()
for _ in range(25):
    with tf.GradientTape() as tape:
        loss = huber(y[:, None], (w * x + b)[:, None])
    dw, db = tape.gradient(loss, [w, b])
    w.assign_sub(0.3 * dw)
    b.assign_sub(0.3 * db)
print(loss, w)
