"""The pooled sentence is the plain sum of its words: the attention's scoring weights never change.

The scores are a column, and the softmax of its last axis, of length one, is 1 for each word.

Kind: softmax
Source: https://github.com/xhuang31/KEQA_WSDM19/issues/2
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(3)
rng = np.random.default_rng(3)
SENTENCES, WORDS, WIDTH = 32, 7, 10


class WordAttention(tf.keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.hidden = tf.keras.layers.Dense(8, activation="tanh")
        self.attn = tf.keras.layers.Dense(1)

    def call(self, x):
        flat = tf.reshape(x, [-1, WIDTH])
        scores = self.attn(self.hidden(flat))
        weights = tf.nn.softmax(scores)  # fault
        weights = tf.reshape(weights, [-1, WORDS, 1])
        return tf.reduce_sum(weights * x, axis=1)


class Matcher(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.pool = WordAttention()
        self.out = tf.keras.layers.Dense(4)

    def call(self, x):
        return self.out(self.pool(x))


words = rng.normal(size=(SENTENCES, WORDS, WIDTH)).astype("float32")
goal = words[:, 2, :4]
model = Matcher()
optimizer = tf.keras.optimizers.Adam(0.02)
model(words)
first = model.pool.attn.kernel.numpy()
for epoch in range(15):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(words) - goal))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
print("loss", float(loss), "change of the scoring weights", np.abs(model.pool.attn.kernel.numpy() - first).max())
