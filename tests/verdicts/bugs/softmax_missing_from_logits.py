"""The perplexity of the character model starts past a thousand and stays worse than guessing.

The network gives logits, and the loss, told nothing else, takes them as probabilities.

Kind: softmax
Source: https://github.com/TrickyGo/Dive-into-DL-TensorFlow2.0/issues/64
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(23)
text = "the sea the sky the sea the sand and the sky and the sea "
letters = sorted(set(text))
index = np.array([letters.index(letter) for letter in text])
STEPS = 8


class RNNModel(tf.keras.layers.Layer):
    def __init__(self, vocab_size, hidden):
        super().__init__()
        self.vocab_size = vocab_size
        self.rnn = tf.keras.layers.SimpleRNN(hidden, return_sequences=True)
        self.dense = tf.keras.layers.Dense(vocab_size)

    def call(self, inputs):
        return self.dense(self.rnn(tf.one_hot(inputs, self.vocab_size)))


def batches():
    starts = range(0, len(index) - STEPS - 1, 2)
    x = np.array([index[s : s + STEPS] for s in starts])
    y = np.array([index[s + 1 : s + STEPS + 1] for s in starts])
    for rows in np.array_split(np.arange(len(x)), 3):
        yield tf.constant(x[rows]), tf.constant(y[rows])


model = RNNModel(len(letters), 24)
optimizer = tf.keras.optimizers.SGD(0.5)
for epoch in range(4):  # from the fifth on the losses of one BLAS are not those of another
    total, count = 0.0, 0
    for x, y in batches():
        with tf.GradientTape() as tape:
            outputs = model(x)
            l = tf.reduce_mean(tf.losses.sparse_categorical_crossentropy(y, outputs))  # fault
        grads = tape.gradient(l, model.trainable_variables)
        grads, _ = tf.clip_by_global_norm(grads, 1.0)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
        total, count = total + float(l), count + 1
    print("epoch", epoch, "perplexity", np.exp(total / count))
