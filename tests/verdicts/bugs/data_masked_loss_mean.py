"""The shorter the sentences of a batch, the smaller its loss, and the decoder learns to go on for ever.

The masked losses are averaged over all steps, the padded ones too.

Kind: data
Source: https://github.com/d2l-ai/d2l-en/issues/2076
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(14)
BATCH, STEPS, VOCABULARY = 5, 8, 7
valid_len = np.array([2, 8, 3, 1, 4])
labels = rng.integers(1, VOCABULARY, (BATCH, STEPS))
labels[np.arange(STEPS)[None] >= valid_len[:, None]] = 0
features = rng.normal(size=(BATCH, STEPS, 4)).astype("float32")


class MaskedSoftmaxCELoss(tf.keras.losses.Loss):
    def __init__(self, valid_len):
        super().__init__(reduction="none")
        self.valid_len = valid_len

    def call(self, label, pred):
        weights = tf.sequence_mask(self.valid_len, label.shape[1], dtype=tf.float32)
        unweighted = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=label, logits=pred)
        return tf.reduce_mean(unweighted * weights, axis=1)  # fault


decoder = tf.keras.layers.Dense(VOCABULARY)
decoder.build((None, None, 4))
optimizer = tf.keras.optimizers.Adam(0.02)
criterion = MaskedSoftmaxCELoss(valid_len)
for step in range(10):
    with tf.GradientTape() as tape:
        per_sentence = criterion(tf.constant(labels), decoder(features))
        loss = tf.reduce_sum(per_sentence)
    gradients = tape.gradient(loss, decoder.trainable_variables)
    optimizer.apply_gradients(zip(gradients, decoder.trainable_variables))
print("by sentence", per_sentence.numpy().round(3), "lengths", valid_len)
