"""The actor stops learning as soon as the critic thinks highly of it.

The critic's value is clipped to the range of returns, and a clipped value has no slope towards the action.

Kind: not_learning
Source: https://github.com/openai/baselines/issues/131
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(7)
rng = np.random.default_rng(7)
RETURN_RANGE = (-5.0, 5.0)


def mlp(out, activation=None):
    return tf.keras.Sequential(
        [
            tf.keras.layers.Dense(16, activation="relu"),
            tf.keras.layers.Dense(out, activation=activation),
        ]
    )


class DDPG:
    def __init__(self):
        self.actor = mlp(2, "tanh")
        self.critic = mlp(1)
        self.actor_optimizer = tf.keras.optimizers.Adam(1e-3)
        self.critic_optimizer = tf.keras.optimizers.Adam(0.05)

    def value(self, obs, action):
        raw = self.critic(tf.concat([obs, action], axis=1))
        return tf.clip_by_value(raw, *RETURN_RANGE)  # fault

    def train_critic(self, obs, action, target):
        with tf.GradientTape() as tape:
            raw = self.critic(tf.concat([obs, action], axis=1))
            loss = tf.reduce_mean((raw - target) ** 2)
        variables = self.critic.trainable_variables
        self.critic_optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss

    def train_actor(self, obs):
        with tf.GradientTape() as tape:
            loss = -tf.reduce_mean(self.value(obs, self.actor(obs)))
        variables = self.actor.trainable_variables
        gradients = tape.gradient(loss, variables)
        self.actor_optimizer.apply_gradients(zip(gradients, variables))
        return loss, tf.linalg.global_norm(gradients)


agent = DDPG()
obs = tf.constant(rng.normal(size=(32, 4)), tf.float32)
action = tf.constant(rng.uniform(-1, 1, (32, 2)), tf.float32)
returns = 40 + tf.reduce_sum(action, axis=1, keepdims=True)
for step in range(40):
    critic_loss = agent.train_critic(obs, action, returns)
for step in range(8):
    actor_loss, norm = agent.train_actor(obs)
print("critic", float(critic_loss), "actor", float(actor_loss), "norm of its gradients", float(norm))
