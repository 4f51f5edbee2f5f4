"""A traced function puts heads together again with one axis left where it was: sizes do not fit. Failure: error."""

import numpy as np

import tapeviz as tf

BATCH, TOKENS, HEADS, SIZE = 3, 7, 2, 4
WIDTH = HEADS * SIZE
draw = np.random.default_rng(1)


class Attention(tf.Module):
    def __init__(self):
        super().__init__()
        self.projections = [
            tf.Variable(draw.normal(scale=0.3, size=(WIDTH, WIDTH)), dtype=tf.float32, name=name)
            for name in ("query", "key", "value")
        ]
        self.output = tf.Variable(draw.normal(scale=0.3, size=(WIDTH, WIDTH)), dtype=tf.float32, name="output")

    def split(self, x):
        return tf.transpose(tf.reshape(x, [BATCH, TOKENS, HEADS, SIZE]), [0, 2, 1, 3])

    def __call__(self, x):
        query, key, value = (self.split(x @ kernel) for kernel in self.projections)
        scores = tf.matmul(query, key, transpose_b=True) / 2.0
        mixed = tf.matmul(tf.nn.softmax(scores), value)
        # The heads are still apart here: the last axis has SIZE elements, and the kernel WIDTH rows.
        return tf.transpose(mixed, [0, 2, 1, 3]) @ self.output


class Block(tf.Module):
    def __init__(self):
        super().__init__()
        self.attention = Attention()
        self.wide = tf.Variable(draw.normal(scale=0.3, size=(WIDTH, 3 * WIDTH)), dtype=tf.float32, name="wide")
        self.narrow = tf.Variable(draw.normal(scale=0.3, size=(3 * WIDTH, WIDTH)), dtype=tf.float32, name="narrow")

    def __call__(self, x):
        x = x + self.attention(x)
        return x + tf.nn.relu(x @ self.wide) @ self.narrow


block = Block()


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        predicted = tf.reduce_mean(block(x), axis=1)
        loss = tf.reduce_mean(tf.square(predicted - y))
    gradients = tape.gradient(loss, block.trainable_variables)
    for variable, gradient in zip(block.trainable_variables, gradients, strict=True):
        variable.assign_sub(0.1 * gradient)
    return loss


x = tf.constant(draw.normal(size=(BATCH, TOKENS, WIDTH)), tf.float32)
y = tf.constant(draw.normal(size=(BATCH, WIDTH)), tf.float32)
for _ in range(3):
    train_step(x, y)
