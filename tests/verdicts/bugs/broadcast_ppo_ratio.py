"""PPO improves far more slowly than the paper's curves, though the surrogate looks plausible.

The advantages come as a column from the estimator, the ratio is a vector: their product holds each pair.

Kind: broadcast
Source: https://github.com/RITCHIEHuang/DeepRL_Algorithms/issues/13
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(5)
rng = np.random.default_rng(5)


def estimate_advantages(rewards, values, gamma=0.95, lam=0.9):
    advantages = np.zeros_like(rewards)
    running, following = 0.0, 0.0
    for t in reversed(range(len(rewards))):
        delta = rewards[t] + gamma * following - values[t]
        running = delta + gamma * lam * running
        following = values[t]
        advantages[t] = running
    advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    return advantages.reshape(-1, 1).astype("float32")


class Policy(tf.keras.Model):
    def __init__(self, n_actions):
        super().__init__()
        self.body = tf.keras.layers.Dense(16, activation="tanh")
        self.head = tf.keras.layers.Dense(n_actions)

    def call(self, obs):
        return self.head(self.body(obs))

    def log_prob(self, obs, actions):
        return -tf.nn.sparse_softmax_cross_entropy_with_logits(labels=actions, logits=self(obs))


def ppo_step(policy, optimizer, obs, actions, old_log_prob, advantages, clip=0.2):
    with tf.GradientTape() as tape:
        ratio = tf.exp(policy.log_prob(obs, actions) - old_log_prob)
        surr1 = ratio * advantages  # fault
        surr2 = tf.clip_by_value(ratio, 1 - clip, 1 + clip) * advantages  # fault
        loss = -tf.reduce_mean(tf.minimum(surr1, surr2))
    grads = tape.gradient(loss, policy.trainable_variables)
    optimizer.apply_gradients(zip(grads, policy.trainable_variables))
    return loss, surr1


policy = Policy(3)
optimizer = tf.keras.optimizers.Adam(3e-3)
obs = tf.constant(rng.normal(size=(48, 4)), tf.float32)
actions = tf.constant(rng.integers(0, 3, 48), tf.int32)
rewards = (actions.numpy() == (obs.numpy()[:, 0] > 0)).astype("float32")
advantages = tf.constant(estimate_advantages(rewards, np.full(48, 0.4, "float32")))
old_log_prob = tf.stop_gradient(policy.log_prob(obs, actions))
for epoch in range(6):
    loss, surrogate = ppo_step(policy, optimizer, obs, actions, old_log_prob, advantages)
    print(epoch, "loss", float(loss), "surrogate", surrogate.shape)
