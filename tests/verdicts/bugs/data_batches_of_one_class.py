"""The loss is high with every new batch, and the rows recognized best are those of the class just seen.

The rows come sorted by label and the batches are slices of them: each has one class alone.

Kind: data
Source: https://github.com/zalandoresearch/fashion-mnist/pull/5
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(0)
labels = np.repeat(np.arange(4), 32)
shirts = (0.7 * rng.normal(size=(128, 16)) + 2.0 + 1.0 * np.eye(4)[labels].repeat(4, axis=1)).astype("float32")

w = tf.Variable(tf.zeros([16, 4]), name="w")
b = tf.Variable(tf.zeros([4]), name="b")


def logits(x):
    return tf.matmul(x, w) + b


def next_batch(index, size=32):
    start = (index * size) % len(shirts)
    return shirts[start : start + size], labels[start : start + size]  # fault


for step in range(40):
    x, y = next_batch(step)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits(x)))
    for variable, gradient in zip((w, b), tape.gradient(loss, (w, b))):
        variable.assign_sub(0.2 * gradient)
    if step >= 36:
        right = np.argmax(logits(shirts).numpy(), axis=1) == labels
        print(step, float(loss), "accuracy", right.mean(), [float(right[labels == k].mean()) for k in range(4)])
