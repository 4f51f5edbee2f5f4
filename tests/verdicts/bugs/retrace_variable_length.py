"""Each prediction takes as long as the first one.

Sentences come in their own lengths, and each new shape is a new trace.

Kind: retrace
Source: https://github.com/tensorflow/tensorflow/issues/38561
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(2)
table = tf.Variable(tf.random.normal([50, 8], seed=1))
head = tf.Variable(tf.random.normal([8, 2], seed=2))
count = 0


@tf.function
def classify(tokens):
    global count
    count += 1
    return tf.nn.softmax(tf.reduce_mean(tf.gather(table, tokens), axis=0, keepdims=True) @ head)


rng = np.random.default_rng(2)
for length in range(3, 15):
    sentence = tf.constant(rng.integers(0, 50, length))
    probabilities = classify(sentence)  # fault
print("traces", count)
