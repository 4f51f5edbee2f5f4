"""The stopwatch in the training step shows the same time for each step, to the last digit.

time.perf_counter is called when the step is traced, and its two readings are constants from then on.

Kind: frozen
Source: https://github.com/fomorians-oss/pyoneer/pull/33
"""

import time

import tapeviz as tf

tf.random.set_seed(0)
weights = tf.Variable(tf.random.normal([30, 30]))
data = tf.random.normal([200, 30])


@tf.function
def train_step():
    started = time.perf_counter()  # fault
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(tf.matmul(data, weights) - data))
    weights.assign_sub(0.01 * tape.gradient(loss, weights))
    elapsed = tf.constant(time.perf_counter() - started)  # fault
    return loss, elapsed


readings = [float(train_step()[1]) for _ in range(6)]
print("different readings of six", len(set(readings)))
