"""The value network gives one value to every state, whatever the rewards.

The targets of temporal differences have the shape (batch,), the network's values (batch, 1).

Kind: broadcast
Source: https://github.com/pytorch/pytorch/issues/19699
"""

import numpy as np

import tapeviz as tf
from tapeviz.keras import layers

tf.random.set_seed(0)
rng = np.random.default_rng(0)
GAMMA = 0.9


class Critic(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden = layers.Dense(24, activation="tanh")
        self.value = layers.Dense(1)

    def call(self, state):
        return self.value(self.hidden(state))


class ReplayBuffer:
    def __init__(self, size):
        self.states = rng.normal(size=(size, 4)).astype("float32")
        self.next_states = self.states + rng.normal(scale=0.1, size=(size, 4)).astype("float32")
        self.rewards = (3 * self.states[:, 0]).astype("float32")
        self.dones = (rng.random(size) < 0.5).astype("float32")

    def sample(self, n):
        i = rng.integers(0, len(self.states), n)
        return self.states[i], self.rewards[i], self.next_states[i], self.dones[i]


critic, buffer = Critic(), ReplayBuffer(200)
optimizer = tf.keras.optimizers.Adam(0.01)


def train_step(states, rewards, next_states, dones):
    next_value = tf.squeeze(critic(next_states), axis=1)
    target = rewards + GAMMA * (1 - dones) * next_value
    with tf.GradientTape() as tape:
        value = critic(states)
        advantage = target - value  # fault
        critic_loss = tf.reduce_mean(advantage**2)
    grads = tape.gradient(critic_loss, critic.trainable_variables)
    optimizer.apply_gradients(zip(grads, critic.trainable_variables))
    return critic_loss


for episode in range(60):
    loss = train_step(*buffer.sample(32))
values = critic(buffer.states).numpy()[:, 0]
print("loss", float(loss), "correlation", np.corrcoef(values, buffer.rewards)[0, 1], "spread", values.std())
