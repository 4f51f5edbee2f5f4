"""A transformer encoder classifies sentences: embeddings with positions, two blocks, padding masked, warm-up.

Source: https://keras.io/examples/nlp/text_classification_with_transformer/
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(0)
rng = np.random.default_rng(0)
tokens = rng.integers(1, 30, (32, 12))
tokens[np.arange(12) >= rng.integers(6, 13, 32)[:, None]] = 0
labels = (tokens == 5).any(axis=1) | (tokens == 7).any(axis=1)
labels = labels.astype("int64")


class Block(tf.keras.layers.Layer):
    """Self-attention and a feed-forward network, each with dropout, a residual connection and a norm."""

    def __init__(self, width, heads):
        super().__init__()
        self.attention = tf.keras.layers.MultiHeadAttention(heads, width // heads)
        self.feed_forward = tf.keras.Sequential(
            [tf.keras.layers.Dense(2 * width, activation="relu"), tf.keras.layers.Dense(width)]
        )
        self.norms = [tf.keras.layers.LayerNormalization(epsilon=1e-6) for _ in range(2)]
        self.dropouts = [tf.keras.layers.Dropout(0.1) for _ in range(2)]

    def call(self, x, visible, training=False):
        attended = self.attention(x, x, attention_mask=visible)
        x = self.norms[0](x + self.dropouts[0](attended, training=training))
        return self.norms[1](x + self.dropouts[1](self.feed_forward(x), training=training))


words = tf.keras.layers.Embedding(30, 16)
positions = tf.keras.layers.Embedding(12, 16)
blocks = [Block(16, 2), Block(16, 2)]
head = tf.keras.layers.Dense(2)
parts = [words, positions, *blocks, head]


def classify(ids, training):
    present = ids != 0
    x = words(ids) + positions(tf.range(12))
    for block in blocks:
        x = block(x, present[:, None, :], training=training)
    weights = tf.cast(present, tf.float32)[:, :, None]
    return head(tf.reduce_sum(x * weights, axis=1) / tf.reduce_sum(weights, axis=1))


cross_entropy = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
optimizer = tf.keras.optimizers.Adam(0.0)
for step in range(12):
    optimizer.learning_rate = 0.01 * min(1.0, (step + 1) / 4)
    with tf.GradientTape() as tape:
        loss = cross_entropy(labels, classify(tokens, training=True))
    variables = [v for part in parts for v in part.trainable_variables]
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
print(loss, np.mean(np.argmax(classify(tokens, training=False), axis=1) == labels))
