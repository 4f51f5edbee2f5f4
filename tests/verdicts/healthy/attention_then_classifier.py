"""A softmax weighs the words, and a second one gives the classes: two softmaxes, one after the other, both meant.

Source: https://arxiv.org/abs/1703.03130
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(8)
words = rng.normal(size=(32, 7, 5)).astype("float32")
labels = (words[:, :, 0].max(axis=1) > 1.2).astype("int64")
query = tf.Variable(rng.normal(scale=0.3, size=(5, 1)).astype("float32"))
kernel = tf.Variable(rng.normal(scale=0.3, size=(5, 2)).astype("float32"))
optimizer = tf.keras.optimizers.Adam(0.05)
for _ in range(30):
    with tf.GradientTape() as tape:
        attention = tf.nn.softmax(tf.squeeze(words @ query, axis=-1), axis=1)
        context = tf.reduce_sum(words * attention[:, :, None], axis=1)
        probabilities = tf.nn.softmax(context @ kernel)
        loss = tf.reduce_mean(tf.keras.losses.sparse_categorical_crossentropy(labels, probabilities))
    gradients = tape.gradient(loss, [query, kernel])
    optimizer.apply_gradients(zip(gradients, [query, kernel], strict=True))
print(loss)
