"""The TD loss grows by a factor in each step: 5, 37, 468, and soon millions.

The network chases its own values: the target is computed with the weights that are being trained.

Kind: diverging
Source: https://github.com/facebookresearch/ReAgent/issues/189
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(15)
rng = np.random.default_rng(15)


class QNetwork(tf.keras.Model):
    def __init__(self, n_actions):
        super().__init__()
        self.fc1 = tf.keras.layers.Dense(32, activation="relu")
        self.fc2 = tf.keras.layers.Dense(n_actions)

    def call(self, x):
        return self.fc2(self.fc1(x))


class Replay:
    def __init__(self, size, dim):
        self.state = rng.normal(size=(size, dim)).astype("float32")
        self.next_state = (1.3 * self.state + 0.1).astype("float32")
        self.action = rng.integers(0, 2, size).astype("int32")
        self.reward = rng.random(size).astype("float32")

    def sample(self, n):
        rows = rng.integers(0, len(self.reward), n)
        return map(tf.constant, (self.state[rows], self.action[rows], self.reward[rows], self.next_state[rows]))


q = QNetwork(2)
q_target = QNetwork(2)
optimizer = tf.keras.optimizers.SGD(0.05)
replay = Replay(200, 5)
q(replay.state[:1])
q_target(replay.state[:1])
tau, gamma = 1.0, 0.99

for step in range(60):
    state, action, reward, next_state = replay.sample(32)
    target = reward + gamma * tf.reduce_max(q_target(next_state), axis=1)
    with tf.GradientTape() as tape:
        chosen = tf.gather(q(state), action, axis=1, batch_dims=1)
        td_loss = tf.reduce_mean(tf.square(target - chosen))
    optimizer.apply_gradients(zip(tape.gradient(td_loss, q.trainable_variables), q.trainable_variables))
    for slow, fast in zip(q_target.trainable_variables, q.trainable_variables):
        slow.assign((1 - tau) * slow + tau * fast)  # fault
    if step % 10 == 0:
        print(step, "td loss", float(td_loss))
