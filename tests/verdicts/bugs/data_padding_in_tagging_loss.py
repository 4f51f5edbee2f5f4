"""The tagger's loss is small from the start and it answers "no tag" nearly everywhere.

The sentences are padded to one length, and the loss of the padding is part of the mean.

Kind: data
Source: https://github.com/kaiyinzhou/BERT-NER/issues/3
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(8)
WORDS, TAGS, LONGEST = 25, 4, 24
rng = np.random.default_rng(8)


def sentence():
    length = rng.integers(3, 7)
    words = rng.integers(1, WORDS, length)
    return words, 1 + words % (TAGS - 1)


def pad(rows):
    out = np.zeros((len(rows), LONGEST), "int32")
    for row, values in zip(out, rows):
        row[: len(values)] = values
    return out


pairs = [sentence() for _ in range(24)]
words = pad([p[0] for p in pairs])
labels = pad([p[1] for p in pairs])


class Tagger(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.embed = tf.keras.layers.Embedding(WORDS, 12)
        self.lstm = tf.keras.layers.LSTM(12, return_sequences=True)
        self.tags = tf.keras.layers.Dense(TAGS)

    def call(self, inputs):
        return self.tags(self.lstm(self.embed(inputs)))


def loss_of(logits, labels):
    log_probs = tf.nn.log_softmax(logits, axis=-1)
    one_hot_labels = tf.one_hot(labels, depth=TAGS, dtype=tf.float32)
    per_example_loss = -tf.reduce_sum(one_hot_labels * log_probs, axis=-1)
    return tf.reduce_mean(per_example_loss)  # fault


model = Tagger()
optimizer = tf.keras.optimizers.Adam(0.02)
for step in range(15):
    with tf.GradientTape() as tape:
        loss = loss_of(model(words), labels)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))

found = np.argmax(model(words).numpy(), axis=-1)
real = words > 0
print("loss", float(loss), "accuracy with padding", (found == labels).mean())
print("accuracy on words", (found == labels)[real].mean(), "answers 'no tag'", (found[real] == 0).mean())
