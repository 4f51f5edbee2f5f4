"""Now and then the loss of a batch is nan, and from then on every prediction too.

In such a batch no position is chosen by the mask, and the sum over the mask is divided by 0.

Kind: nan
Source: https://github.com/keras-team/keras/pull/11643
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(1)
VOCAB, LENGTH = 12, 6


def build():
    tokens = tf.keras.Input([LENGTH], dtype="int32")
    h = tf.keras.layers.Embedding(VOCAB, 8)(tokens)
    h = tf.keras.layers.GRU(10, return_sequences=True)(h)
    return tf.keras.Model(tokens, tf.keras.layers.Dense(VOCAB)(h))


def masked_loss(labels, logits, mask):
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    return tf.reduce_sum(each * mask) / tf.reduce_sum(mask)  # fault


def batches(count, rate):
    rng = np.random.RandomState(6)
    for index in range(count):
        tokens = rng.randint(1, VOCAB, (4, LENGTH)).astype("int32")
        chosen = (rng.rand(4, LENGTH) < rate).astype("float32")
        if index == 3:
            chosen[:] = 0.0
        yield np.where(chosen > 0, 0, tokens).astype("int32"), tokens, chosen


model = build()
optimizer = tf.keras.optimizers.Adam(0.01)
for number, (inputs, labels, mask) in enumerate(batches(6, 0.1)):
    with tf.GradientTape() as tape:
        loss = masked_loss(labels, model(inputs), mask)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    print(number, float(loss))
