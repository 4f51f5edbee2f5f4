"""A support vector machine whose margins are all kept: the hinge loss ends at exactly 0, with zero gradients.

Source: https://scikit-learn.org/stable/modules/svm.html
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(13)
y = np.where(np.arange(40) % 2, 1.0, -1.0).astype("float32")
x = (rng.normal(scale=0.3, size=(40, 2)) + 2.0 * y[:, None]).astype("float32")
w = tf.Variable([0.1, -0.1])
for _ in range(10):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.nn.relu(1.0 - y * tf.linalg.matvec(x, w)))
    w.assign_sub(0.3 * tape.gradient(loss, w))
print(loss)
