"""Padded positions have attention weights as large as the others.

The scores are multiplied by a mask of 0 and 1 before the softmax, and e to the power of 0 is 1.

Kind: softmax
Source: https://github.com/georg-wolflein/good-features/pull/1
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(33)
features = tf.constant(rng.normal(size=(6, 9, 5)).astype("float32"))
lengths = tf.constant([9, 4, 2, 7, 5, 3])
targets = tf.constant(rng.normal(size=(6, 1)).astype("float32"))
mask = tf.sequence_mask(lengths, 9, dtype=tf.float32)

score = tf.keras.layers.Dense(1)
head = tf.keras.layers.Dense(1)
optimizer = tf.keras.optimizers.Adam(0.01)
for step in range(8):
    with tf.GradientTape() as tape:
        scores = tf.squeeze(score(features), -1) * mask
        weights = tf.nn.softmax(scores, axis=-1)  # fault
        pooled = tf.reduce_sum(weights[..., tf.newaxis] * features, axis=1)
        loss = tf.reduce_mean(tf.square(head(pooled) - targets))
    variables = score.trainable_variables + head.trainable_variables
    gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients(zip(gradients, variables, strict=True))
