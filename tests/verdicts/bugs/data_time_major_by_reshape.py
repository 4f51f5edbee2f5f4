"""A recurrent network that must sum a row of numbers does not get below the variance of the sums.

The batch is made time-major by a reshape, which mixes the rows instead of turning the array.

Kind: data
Source: https://github.com/rish-16/tokenlearner-pytorch/issues/1
"""

import numpy as np

import tapeviz as tf

rng = np.random.RandomState(3)
ROWS, STEPS, UNITS = 64, 6, 10


def draw():
    numbers = rng.uniform(-1, 1, (ROWS, STEPS, 1)).astype("float32")
    return tf.constant(numbers), numbers.sum(axis=1)


def variable(*shape):
    return tf.Variable((rng.randn(*shape) / np.sqrt(shape[0])).astype("float32"))


w_in, w_rec, w_out = variable(1, UNITS), variable(UNITS, UNITS), variable(UNITS, 1)
bias = tf.Variable(tf.zeros([UNITS]))
weights = [w_in, w_rec, w_out, bias]


def unroll(batch):
    steps = tf.reshape(batch, [STEPS, ROWS, 1])  # fault
    state = tf.zeros([ROWS, UNITS])
    for step in tf.unstack(steps):
        state = tf.tanh(tf.matmul(step, w_in) + tf.matmul(state, w_rec) + bias)
    return tf.matmul(state, w_out)


optimizer = tf.keras.optimizers.Adam(0.02)
for epoch in range(40):
    numbers, sums = draw()
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(unroll(numbers) - sums))
    optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
    if epoch % 10 == 9:
        print(epoch, float(loss), "variance", float(sums.var()))
