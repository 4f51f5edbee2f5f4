"""The printed accuracy stays near one half while the loss falls towards zero.

The predicted classes have the shape (n, 1), the labels (n,): equality compares each with each.

Kind: broadcast
Source: https://github.com/tensorflow/tensorflow/issues/37770
"""

import numpy as np

import tapeviz as tf

rng = np.random.RandomState(3)
X = rng.randn(80, 4).astype(np.float32)
labels = (X[:, 0] + X[:, 2] > 0).astype(np.float32)


class LogReg(tf.Module):
    def __init__(self, n):
        super().__init__()
        self.weights = tf.Variable(tf.zeros([n, 1]))
        self.bias = tf.Variable(tf.zeros([1]))

    def __call__(self, x):
        return tf.matmul(x, self.weights) + self.bias


def accuracy(logits, y):
    predicted = tf.cast(logits > 0, tf.float32)
    same = tf.equal(predicted, y)  # fault
    return tf.reduce_mean(tf.cast(same, tf.float32))


clf = LogReg(4)
for epoch in range(60):
    with tf.GradientTape() as tape:
        logits = clf(X)
        loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels[:, None], logits=logits))
    variables = [clf.weights, clf.bias]
    for v, g in zip(variables, tape.gradient(loss, variables)):
        v.assign_sub(1.0 * g)
print("loss", float(loss), "accuracy", float(accuracy(clf(X), labels)))
