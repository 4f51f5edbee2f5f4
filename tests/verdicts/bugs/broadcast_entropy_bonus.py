"""The policy loss is a matrix where one number for each time step was meant, and the bonus hardly acts.

The entropy keeps a last dimension of one, and adding it to the vector of losses widens that.

Kind: broadcast
Source: https://github.com/google-research/batch-ppo/pull/45
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(2)
mean = tf.Variable(rng.normal(size=(20, 1)), dtype=tf.float32)
logstd = tf.Variable([[-0.5]])
action = tf.constant(rng.normal(size=(20, 1)), tf.float32)
advantage = tf.constant(rng.normal(size=20), tf.float32)


def logpdf(mean, logstd, value):
    z = (value - mean) / tf.exp(logstd)
    return tf.reduce_sum(-0.5 * z**2 - logstd - 0.5 * np.log(2 * np.pi), axis=-1)


def entropy(mean, logstd):
    return (0.5 * np.log(2 * np.pi * np.e) + logstd) * tf.ones_like(mean)


with tf.GradientTape() as tape:
    policy_loss = -logpdf(mean, logstd, action) * advantage
    policy_loss = policy_loss - 0.1 * entropy(mean, logstd)  # fault
    total = tf.reduce_mean(policy_loss)
print(policy_loss.shape, float(total), tape.gradient(total, logstd).numpy())
