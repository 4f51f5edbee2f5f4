"""The gradients of the policy are all None.

The log probabilities go through NumPy to pick those of the actions, and the tape does not see NumPy.

Kind: none
Source: https://github.com/tensorflow/tensorflow/issues/36596
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(21)
states = rng.normal(size=(20, 4)).astype("float32")
actions = rng.integers(0, 3, 20)
returns = rng.normal(size=20).astype("float32")
tf.random.set_seed(21)
policy = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(3)])

with tf.GradientTape() as tape:
    log_probs = tf.nn.log_softmax(policy(states))
    chosen = log_probs.numpy()[np.arange(20), actions]  # fault
    loss = -tf.reduce_mean(tf.constant(chosen) * returns)
print(float(loss), tape.gradient(loss, policy.trainable_variables))
