"""A decoder-only language model with tied embeddings predicts the next token under a causal mask.

Source: https://keras.io/examples/generative/text_generation_with_miniature_gpt/
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(1)
vocabulary, length, width, heads = 12, 10, 16, 2
starts = rng.integers(0, vocabulary, (16, 1))
text = (starts + 5 * np.arange(length + 1)) % vocabulary
inputs, targets = text[:, :-1], text[:, 1:]


def matrix(*shape):
    return tf.Variable(rng.normal(scale=0.1, size=shape).astype("float32"))


embedding, position = matrix(vocabulary, width), matrix(length, width)
layers = [
    {"qkv": matrix(width, 3 * width), "out": matrix(width, width), "up": matrix(width, 64), "down": matrix(64, width)}
    for _ in range(2)
]
scales = [tf.Variable(tf.ones([width])) for _ in range(5)]
variables = [embedding, position, *scales, *(v for layer in layers for v in layer.values())]


def norm(x, scale):
    return x * tf.math.rsqrt(tf.reduce_mean(x**2, axis=-1, keepdims=True) + 1e-6) * scale


def split_heads(x):
    return tf.transpose(tf.reshape(x, [-1, length, heads, width // heads]), [0, 2, 1, 3])


def logits_of(ids):
    steps = tf.range(length)
    visible = steps <= steps[:, None]
    x = tf.gather(embedding, ids) + position
    for i, layer in enumerate(layers):
        q, k, v = (split_heads(part) for part in tf.split(norm(x, scales[2 * i]) @ layer["qkv"], 3, axis=-1))
        scores = tf.matmul(q, k, transpose_b=True) / (width // heads) ** 0.5
        weights = tf.nn.softmax(tf.where(visible, scores, -1e9))
        merged = tf.reshape(tf.transpose(weights @ v, [0, 2, 1, 3]), [-1, length, width])
        x = x + merged @ layer["out"]
        x = x + tf.nn.gelu(norm(x, scales[2 * i + 1]) @ layer["up"]) @ layer["down"]
    return tf.matmul(norm(x, scales[4]), embedding, transpose_b=True)


optimizer = tf.keras.optimizers.AdamW(0.02, weight_decay=0.01)
for _ in range(15):
    with tf.GradientTape() as tape:
        each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=targets, logits=logits_of(inputs))
        loss = tf.reduce_mean(each)
    gradients, _ = tf.clip_by_global_norm(tape.gradient(loss, variables), 1.0)
    optimizer.apply_gradients(zip(gradients, variables, strict=True))
print(loss)
