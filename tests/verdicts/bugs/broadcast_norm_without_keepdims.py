"""Rows that should have length 1 don't, and only for batches as long as a row.

Their norms are divided by without an axis of size 1, so that they are laid along the columns.

Kind: broadcast
Source: https://github.com/HomebrewML/HeavyBall/issues/96
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(35)
BATCH = FEATURES = 12
anchors = tf.constant(rng.normal(size=(BATCH, 7)).astype("float32"))
positives = anchors + 0.1 * tf.constant(rng.normal(size=(BATCH, 7)).astype("float32"))

encoder = tf.keras.layers.Dense(FEATURES)
optimizer = tf.keras.optimizers.Adam(0.01)


def normalized(vectors):
    return vectors / tf.norm(vectors, axis=1)  # fault


for step in range(6):
    with tf.GradientTape() as tape:
        similarity = tf.matmul(normalized(encoder(anchors)), normalized(encoder(positives)), transpose_b=True)
        loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.range(BATCH), logits=similarity / 0.1)
        )
    gradients = tape.gradient(loss, encoder.trainable_variables)
    optimizer.apply_gradients(zip(gradients, encoder.trainable_variables, strict=True))
