"""The critic of the walker learns values that do not tell its four actions apart.

The log-probability is kept for each action dimension, so the target has four columns and the critic one.

Kind: broadcast
Source: https://github.com/sunwuzhou03/reinforcement-learning-lab/issues/1
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(9)
rng = np.random.default_rng(9)
STATE, ACTION, BATCH = 8, 4, 24


class Actor(tf.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = tf.keras.layers.Dense(32, activation="relu")
        self.fc_mu = tf.keras.layers.Dense(ACTION)
        self.fc_std = tf.keras.layers.Dense(ACTION, activation="softplus")

    def __call__(self, x):
        h = self.fc1(x)
        mu, std = self.fc_mu(h), self.fc_std(h) + 1e-3
        noise = tf.random.normal(tf.shape(mu), seed=3)
        sample = mu + std * noise
        log_prob = -0.5 * noise**2 - tf.math.log(std) - 0.919
        action = tf.tanh(sample)
        log_prob -= tf.math.log(1 - action**2 + 1e-6)
        return action, log_prob  # fault


class Critic(tf.Module):
    def __init__(self):
        super().__init__()
        self.layers = tf.keras.Sequential([tf.keras.layers.Dense(32, activation="relu"), tf.keras.layers.Dense(1)])

    def __call__(self, state, action):
        return self.layers(tf.concat([state, action], axis=1))


actor, critic, target_critic = Actor(), Critic(), Critic()
optimizer = tf.keras.optimizers.Adam(3e-3)
alpha, gamma = 0.1, 0.98

for update in range(5):
    states = tf.constant(rng.normal(size=(BATCH, STATE)), tf.float32)
    next_states = states + 0.1
    actions = tf.constant(rng.uniform(-1, 1, (BATCH, ACTION)), tf.float32)
    rewards = tf.reduce_sum(states[:, :4] * actions, axis=1, keepdims=True)

    next_actions, log_prob = actor(next_states)
    entropy = -log_prob
    next_value = target_critic(next_states, next_actions) + alpha * entropy  # fault
    td_target = rewards + gamma * next_value
    with tf.GradientTape() as tape:
        critic_loss = tf.reduce_mean(tf.square(critic(states, actions) - td_target))  # fault
    variables = critic.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(critic_loss, variables), variables))
    print(update, td_target.shape, float(critic_loss))
