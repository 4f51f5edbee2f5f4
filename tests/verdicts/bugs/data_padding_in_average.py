"""Short reviews are all classified as neutral, long ones rightly.

The mean of the word vectors is taken over the padded length; the padding's zeros pull it to 0.

Kind: data
Source: https://github.com/HKUDS/LightRAG/pull/3675
"""

import numpy as np

import tapeviz as tf

rng = np.random.RandomState(1)
LENGTH, SIZE = 40, 6
table = tf.Variable(rng.randn(30, SIZE).astype("float32") * 0.5, name="embedding")
head = tf.Variable(rng.randn(SIZE, 1).astype("float32") * 0.5, name="head")


def mean_of_words(tokens):
    mask = tf.cast(tokens > 0, tf.float32)[:, :, None]
    vectors = tf.gather(table, tokens) * mask
    return tf.reduce_mean(vectors, axis=1)  # fault


def review(length, good):
    words = rng.randint(1, 15, length) + 15 * good - good
    return np.pad(words, (0, LENGTH - length))


lengths = np.where(np.arange(60) % 2, 3, LENGTH)
good = rng.randint(0, 2, 60)
tokens = tf.constant(np.stack([review(n, g) for n, g in zip(lengths, good)]).astype("int32"))
labels = tf.constant(good[:, None].astype("float32"))
optimizer = tf.keras.optimizers.Adam(0.05)
for step in range(20):
    with tf.GradientTape() as tape:
        logits = tf.matmul(mean_of_words(tokens), head)
        loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))
    optimizer.apply_gradients(zip(tape.gradient(loss, [table, head]), [table, head]))
certainty = np.abs(tf.sigmoid(logits).numpy()[:, 0] - 0.5)
print("loss", float(loss))
print("certainty of short", certainty[lengths == 3].mean(), "of long", certainty[lengths == LENGTH].mean())
