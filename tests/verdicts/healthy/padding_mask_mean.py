"""Word vectors are averaged over the true length of each sentence; padding gets a gradient of exactly 0.

Source: https://www.tensorflow.org/guide/keras/understanding_masking_and_padding
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(10)
tokens = rng.integers(1, 10, (16, 8))
lengths = rng.integers(2, 9, 16)
tokens[np.arange(8) >= lengths[:, None]] = 0
labels = (tokens == 3).any(axis=1).astype("float32")
table = tf.Variable(rng.normal(scale=0.3, size=(10, 4)).astype("float32"))
w = tf.Variable(rng.normal(scale=0.3, size=(4,)).astype("float32"))
optimizer = tf.keras.optimizers.Adam(0.05)
for _ in range(25):
    with tf.GradientTape() as tape:
        mask = tf.sequence_mask(lengths, 8, dtype=tf.float32)
        vectors = tf.gather(table, tokens) * mask[:, :, None]
        mean = tf.reduce_sum(vectors, axis=1) / tf.reduce_sum(mask, axis=1, keepdims=True)
        logits = tf.linalg.matvec(mean, w)
        loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))
    gradients = tape.gradient(loss, [table, w])
    optimizer.apply_gradients(zip(gradients, [table, w], strict=True))
print(loss)
