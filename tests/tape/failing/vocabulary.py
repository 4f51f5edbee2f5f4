"""A language model is asked for a word beyond its vocabulary. Failure: error."""

import numpy as np

import tapeviz as tf

WORDS, WIDTH, CONTEXT, BATCH = 30, 6, 4, 5
draw = np.random.default_rng(30)
text = draw.integers(0, WORDS, size=200)
text[57] = WORDS + 3  # a word that came later


class Embedding(tf.Module):
    def __init__(self, rows, columns):
        super().__init__()
        self.table = tf.Variable(draw.normal(scale=0.1, size=(rows, columns)), dtype=tf.float32, name="table")

    def __call__(self, ids):
        return tf.gather(self.table, ids)


class Model(tf.Module):
    def __init__(self):
        super().__init__()
        self.embedding = Embedding(WORDS, WIDTH)
        self.inner = tf.Variable(draw.normal(scale=0.2, size=(CONTEXT * WIDTH, 16)), dtype=tf.float32, name="inner")
        self.shift = tf.Variable(tf.zeros([16]), name="shift")
        self.outer = tf.Variable(draw.normal(scale=0.2, size=(16, WORDS)), dtype=tf.float32, name="outer")

    def __call__(self, ids):
        rows = tf.reshape(self.embedding(ids), [-1, CONTEXT * WIDTH])
        return tf.tanh(rows @ self.inner + self.shift) @ self.outer


def batches(text):
    windows = np.lib.stride_tricks.sliding_window_view(text, CONTEXT + 1)
    for first in range(0, len(windows) - BATCH, 10 * BATCH):
        chosen = windows[first : first + BATCH]
        yield tf.constant(chosen[:, :-1]), tf.constant(chosen[:, -1])


model = Model()
optimizer = tf.keras.optimizers.SGD(0.5)
total = tf.Variable(0.0, trainable=False, name="total")
for ids, following in batches(text):
    with tf.GradientTape() as tape:
        logits = model(ids)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=following, logits=logits)
        loss = tf.reduce_mean(losses)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    total.assign_add(loss)
surprise = tf.exp(total / len(text))
print(float(surprise))
