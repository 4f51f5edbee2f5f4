"""An encoder and a decoder with additive attention learn to reverse sequences, with teacher forcing.

Source: https://arxiv.org/abs/1409.0473
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(4)
rng = np.random.default_rng(4)
source = rng.integers(1, 8, (32, 5))
target = source[:, ::-1].copy()
shifted = np.concatenate([np.zeros((32, 1), int), target[:, :-1]], axis=1)
encoder_words, decoder_words = tf.keras.layers.Embedding(8, 12), tf.keras.layers.Embedding(8, 12)
encoder = tf.keras.layers.GRU(16, return_sequences=True, return_state=True)
cell = tf.keras.layers.GRUCell(16)
keys, query, score = tf.keras.layers.Dense(16), tf.keras.layers.Dense(16), tf.keras.layers.Dense(1)
output = tf.keras.layers.Dense(8)
parts = [encoder_words, decoder_words, encoder, cell, keys, query, score, output]
optimizer = tf.keras.optimizers.Adam(0.02)
for _ in range(10):
    with tf.GradientTape() as tape:
        memory, state = encoder(encoder_words(source))
        logits = []
        for step in range(5):
            energy = score(tf.tanh(keys(memory) + query(state)[:, None]))
            context = tf.reduce_sum(tf.nn.softmax(energy, axis=1) * memory, axis=1)
            hidden, states = cell(tf.concat([decoder_words(shifted[:, step]), context], axis=1), [state])
            state = states[0]
            logits.append(output(hidden))
        each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=target, logits=tf.stack(logits, axis=1))
        loss = tf.reduce_mean(each)
    variables = [v for part in parts for v in part.trainable_variables]
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
print(loss)
