"""The regression learns the mean and nothing else as soon as the rows are shuffled.

Features and targets are shuffled by two calls, each with an order of its own.

Kind: data
Source: https://github.com/udacity/sdc-issue-reports/issues/1326
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(2)
features = rng.normal(size=(120, 3)).astype("float32")
targets = (features @ [[2.0], [-1.0], [0.5]] + 1.0).astype("float32")
rng.shuffle(features)
rng.shuffle(targets)  # fault

weights = tf.Variable(tf.zeros([3, 1]))
bias = tf.Variable(tf.zeros([1]))
optimizer = tf.keras.optimizers.SGD(0.1)
for epoch in range(20):
    for start in range(0, 120, 30):
        x = tf.constant(features[start : start + 30])
        y = tf.constant(targets[start : start + 30])
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.matmul(x, weights) + bias - y))
        optimizer.apply_gradients(zip(tape.gradient(loss, [weights, bias]), [weights, bias]))
print("loss", float(loss), "variance of the targets", targets.var())
print(weights.numpy().ravel(), bias.numpy())
