"""The trained agent still acts nearly at random, though its policy is sure of the action.

The sampler takes logits and is given probabilities, which lie so close that it draws almost evenly.

Kind: softmax
Source: https://github.com/ekapolc/RL_course_2019/pull/6
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(20)
rng = np.random.default_rng(20)

policy = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(16, activation="relu"),
        tf.keras.layers.Dense(3, activation="softmax"),
    ]
)
optimizer = tf.keras.optimizers.Adam(0.03)


def choose(states):
    probabilities = policy(states)
    return tf.random.categorical(probabilities, 1)[:, 0]  # fault


def reinforce(states):
    actions = choose(states)
    best = tf.argmax(states, axis=1)
    rewards = tf.cast(actions == best, tf.float32)
    with tf.GradientTape() as tape:
        taken = tf.gather(policy(states), actions, axis=1, batch_dims=1)
        loss = -tf.reduce_mean(tf.math.log(taken + 1e-8) * (rewards - 0.33))
    optimizer.apply_gradients(zip(tape.gradient(loss, policy.trainable_variables), policy.trainable_variables))
    return tf.reduce_mean(rewards)


for episode in range(40):
    states = tf.constant(rng.normal(size=(64, 3)), tf.float32)
    reward = reinforce(states)
    if episode % 8 == 0:
        sure = tf.reduce_mean(tf.reduce_max(policy(states), axis=1))
        print(episode, "reward", float(reward), "how sure", float(sure))
