"""Sentences of length two count as much as full ones in the loss, and the loss depends on who else is in the batch.

A mask of shape (batch, time) times errors of shape (batch, time, 1) gives (batch, time, time): with as many
sentences as steps nothing complains.

Kind: broadcast
Source: https://github.com/tensorflow/tensorflow/issues/39146
"""

import numpy as np

import tapeviz as tf

np.random.seed(5)
BATCH, STEPS, UNITS = 6, 6, 8
lengths = np.array([2, 6, 3, 6, 4, 5])
inputs = np.random.randn(BATCH, STEPS, 3).astype("float32")
targets = inputs.sum(-1, keepdims=True).astype("float32")
mask = tf.sequence_mask(lengths, STEPS, dtype=tf.float32)

cell_w = tf.Variable(tf.random.normal([3, UNITS], stddev=0.3, seed=1))
out_w = tf.Variable(tf.random.normal([UNITS, 1], stddev=0.3, seed=2))
optimizer = tf.keras.optimizers.Adam(0.02)


def masked_loss(prediction, target, mask):
    error = tf.abs(prediction - target)
    error = error * mask  # fault
    return tf.reduce_sum(error) / tf.reduce_sum(mask)


def forward(x):
    hidden = tf.tanh(tf.tensordot(x, cell_w, axes=1))
    return tf.tensordot(hidden, out_w, axes=1)


for step in range(30):
    with tf.GradientTape() as tape:
        prediction = forward(inputs)
        loss = masked_loss(prediction, targets, mask)
    grads = tape.gradient(loss, [cell_w, out_w])
    optimizer.apply_gradients(zip(grads, [cell_w, out_w]))

error = np.abs(prediction.numpy() - targets)[..., 0]
print("loss", float(loss), "by hand", (error * mask.numpy()).sum() / mask.numpy().sum())
