"""Ratings from the products of two embeddings and biases that broadcast as (n, 1) plus (m,), on observed cells only.

Source: https://developers.google.com/machine-learning/recommendation/collaborative/matrix
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(4)
ratings = tf.constant(rng.normal(size=(12, 1)) + rng.normal(size=12), tf.float32)
observed = tf.constant(rng.random((12, 12)) < 0.6, tf.float32)
users = tf.Variable(rng.normal(scale=0.1, size=(12, 3)).astype("float32"))
items = tf.Variable(rng.normal(scale=0.1, size=(12, 3)).astype("float32"))
user_bias, item_bias = tf.Variable(tf.zeros([12, 1])), tf.Variable(tf.zeros([12]))
variables = [users, items, user_bias, item_bias]
optimizer = tf.keras.optimizers.Adam(0.05)
for _ in range(20):
    with tf.GradientTape() as tape:
        guess = tf.matmul(users, items, transpose_b=True) + (user_bias + item_bias)
        loss = tf.reduce_sum((guess - ratings) ** 2 * observed) / tf.reduce_sum(observed)
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
print(loss)
