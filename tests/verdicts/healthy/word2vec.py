"""Skip-grams with negative samples: only the rows of the words that were seen get a gradient.

Source: https://www.tensorflow.org/text/tutorials/word2vec
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(3)
targets = rng.integers(0, 20, 64)
contexts = np.concatenate([((targets + 1) % 20)[:, None], rng.integers(0, 20, (64, 4))], axis=1)
labels = np.tile(np.array([1.0, 0.0, 0.0, 0.0, 0.0], "float32"), (64, 1))
words = tf.Variable(rng.normal(scale=0.1, size=(20, 8)).astype("float32"))
others = tf.Variable(rng.normal(scale=0.1, size=(20, 8)).astype("float32"))
optimizer = tf.keras.optimizers.Adam(0.05)
for _ in range(20):
    with tf.GradientTape() as tape:
        logits = tf.einsum("bd,bcd->bc", tf.gather(words, targets), tf.gather(others, contexts))
        loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))
    gradients = tape.gradient(loss, [words, others])
    optimizer.apply_gradients(zip(gradients, [words, others], strict=True))
print(loss)
