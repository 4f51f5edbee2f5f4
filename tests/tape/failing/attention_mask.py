"""A transformer step whose padding mask leaves one row nothing to attend to. Failure: nan."""

import numpy as np

import tapeviz as tf

HEADS, WIDTH, TOKENS, BATCH, CLASSES = 2, 8, 6, 4, 5
draw = np.random.default_rng(11)


def weights(*shape):
    return tf.Variable(draw.normal(scale=0.4, size=shape), dtype=tf.float32)


embedding = weights(20, WIDTH)
query, key, value = weights(WIDTH, WIDTH), weights(WIDTH, WIDTH), weights(WIDTH, WIDTH)
output = weights(WIDTH, WIDTH)
inner, outer = weights(WIDTH, 4 * WIDTH), weights(4 * WIDTH, WIDTH)
head = weights(WIDTH, CLASSES)
variables = [embedding, query, key, value, output, inner, outer, head]


def split(x):
    return tf.transpose(tf.reshape(x, [BATCH, TOKENS, HEADS, WIDTH // HEADS]), [0, 2, 1, 3])


def merged(x):
    return tf.reshape(tf.transpose(x, [0, 2, 1, 3]), [BATCH, TOKENS, WIDTH])


def normalized(x):
    mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    return (x - mean) * tf.math.rsqrt(variance + 1e-5)


def attended(x, mask):
    q, k, v = split(x @ query), split(x @ key), split(x @ value)
    scores = tf.matmul(q, k, transpose_b=True) / np.sqrt(WIDTH // HEADS).astype("f4")
    scores = tf.where(mask[:, None, None, :], scores, -np.inf)
    shifted = scores - tf.reduce_max(scores, axis=-1, keepdims=True)
    powers = tf.exp(shifted)
    shares = powers / tf.reduce_sum(powers, axis=-1, keepdims=True)
    return merged(tf.matmul(shares, v)) @ output


def logits(tokens, mask):
    x = tf.gather(embedding, tokens)
    x = normalized(x + attended(x, mask))
    x = normalized(x + tf.nn.relu(x @ inner) @ outer)
    return tf.reduce_mean(x, axis=1) @ head


tokens = tf.constant(draw.integers(0, 20, size=(BATCH, TOKENS)))
lengths = tf.constant([6, 4, 0, 5])
mask = tf.range(TOKENS)[None, :] < lengths[:, None]
labels = tf.constant([0, 3, 1, 4])
with tf.GradientTape() as tape:
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits(tokens, mask))
    loss = tf.reduce_mean(losses)
gradients = tape.gradient(loss, variables)
for variable, gradient in zip(variables, gradients, strict=True):
    variable.assign_sub(0.01 * tf.convert_to_tensor(gradient))
