"""Training gets slower with each episode, with a warning about retracing.

The exploration rate goes into the function as a Python float, and each new number is a new trace.

Kind: retrace
Source: https://github.com/keiohta/tf2rl/issues/99
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(1)
actor = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(2)])
actor.build((None, 4))
traces = []


@tf.function
def act(state, epsilon):
    traces.append(epsilon)
    greedy = tf.argmax(actor(state), axis=1, output_type=tf.int32)
    random = tf.random.uniform([1], 0, 2, tf.int32)
    return tf.where(tf.random.uniform([1]) < epsilon, random, greedy)


rng = np.random.default_rng(1)
epsilon = 1.0
for episode in range(12):
    state = tf.constant(rng.normal(size=(1, 4)), tf.float32)
    action = act(state, epsilon)  # fault
    epsilon *= 0.9
print("traces", len(traces))
