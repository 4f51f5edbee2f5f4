"""The write controller of the memory layer gets no gradient, while the reading part trains.

What the controller computes reaches the loss through `assign` on a variable, which has no gradient.

Kind: none
Source: https://github.com/keras-team/keras/issues/16128
"""

import numpy as np

import tapeviz as tf


class MemoryLayer(tf.keras.layers.Layer):
    def __init__(self, slots=8, key_dims=4):
        super().__init__()
        self.slots = slots
        self.key_dims = key_dims
        self.query = tf.keras.layers.Dense(key_dims)
        self.erase = tf.keras.layers.Dense(slots, activation="sigmoid")
        self.write = tf.keras.layers.Dense(key_dims)
        self.key_memory = tf.Variable(
            np.random.RandomState(0).randn(slots, key_dims).astype("float32"), trainable=False, name="key_memory"
        )

    def call(self, inputs):
        erase = tf.reduce_mean(self.erase(inputs), axis=0)[:, None]
        write = tf.reduce_mean(self.write(inputs), axis=0)[None, :]
        self.key_memory.assign((1.0 - erase) * self.key_memory + erase * write)  # fault
        attention = tf.nn.softmax(tf.matmul(self.query(inputs), self.key_memory, transpose_b=True))
        return tf.matmul(attention, self.key_memory)


tf.random.set_seed(0)
x = tf.random.normal([12, 6])
y = tf.random.normal([12, 1])
memory = MemoryLayer()
head = tf.keras.layers.Dense(1)

with tf.GradientTape() as tape:
    loss = tf.reduce_mean(tf.square(head(memory(x)) - y))
variables = memory.trainable_variables + head.trainable_variables
for variable, gradient in zip(variables, tape.gradient(loss, variables)):
    print(variable.name, "None" if gradient is None else float(tf.norm(gradient)))
