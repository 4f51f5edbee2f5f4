"""Ridge regression: the penalty on the weights is part of the loss, the bias is left out of it.

Source: https://scikit-learn.org/stable/modules/linear_model.html
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(11)
x = rng.normal(size=(50, 3)).astype("float32")
y = x @ np.array([1.0, 0.0, -2.0], "float32") + 1.0
w, b = tf.Variable([0.1, -0.2, 0.3]), tf.Variable(0.0)
for _ in range(30):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((tf.linalg.matvec(x, w) + b - y) ** 2) + 0.01 * tf.nn.l2_loss(w)
    dw, db = tape.gradient(loss, [w, b])
    w.assign_sub(0.1 * dw)
    b.assign_sub(0.1 * db)
print(loss)
