"""With a batch of one the attention weights are always 1, whatever is put in.

The softmax goes along the first axis, the batch, rather than along the positions.

Kind: softmax
Source: https://github.com/PetrochukM/PyTorch-NLP/issues/2
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(1)


class DotAttention(tf.keras.layers.Layer):
    def call(self, query, context):
        scores = tf.matmul(query, context, transpose_b=True)
        b, output_len, query_len = scores.shape
        weights = tf.nn.softmax(tf.reshape(scores, [b * output_len, query_len]), axis=0)  # fault
        weights = tf.reshape(weights, [b, output_len, query_len])
        return tf.matmul(weights, context), weights


attention = DotAttention()
query = tf.constant(rng.normal(size=(1, 1, 3)), tf.float32)
context = tf.constant(rng.normal(size=(1, 5, 3)), tf.float32)
mixed, weights = attention(query, context)
print(weights.numpy(), mixed.numpy())
