"""With batch normalization the agent's target values are far off those of the network they are a copy of.

The update copies what is trainable; the moving averages are not, and the target reads their first values for ever.

Kind: variables
Source: https://github.com/DLR-RM/stable-baselines3/pull/1004
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(100)


class QNetwork(tf.keras.Model):
    def __init__(self, actions):
        super().__init__()
        self.hidden = tf.keras.layers.Dense(32)
        self.norm = tf.keras.layers.BatchNormalization(momentum=0.7)
        self.q = tf.keras.layers.Dense(actions)

    def call(self, observation, training=False):
        h = self.norm(self.hidden(observation), training=training)
        return self.q(tf.nn.relu(h))


class DQN:
    def __init__(self, size, actions):
        self.q_net, self.q_net_target = QNetwork(actions), QNetwork(actions)
        self.q_net(tf.zeros([1, size])), self.q_net_target(tf.zeros([1, size]))
        self.q_net_target.set_weights(self.q_net.get_weights())
        self.optimizer = tf.keras.optimizers.Adam(0.003)
        self.actions = actions

    def targets(self, rewards, following):
        return rewards + 0.95 * tf.reduce_max(self.q_net_target(following), axis=1)

    def update_target(self, tau):
        for ours, theirs in zip(self.q_net.trainable_variables, self.q_net_target.trainable_variables):  # fault
            theirs.assign(tau * ours + (1.0 - tau) * theirs)  # fault

    def train(self, observations, actions, rewards, following):
        wanted = self.targets(rewards, following)
        with tf.GradientTape() as tape:
            values = self.q_net(observations, training=True)
            chosen = tf.reduce_sum(values * tf.one_hot(actions, self.actions), axis=1)
            loss = tf.reduce_mean(tf.square(chosen - wanted))
        variables = self.q_net.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return float(loss)


rng = np.random.default_rng(100)
agent = DQN(size=4, actions=3)
probe = tf.constant(rng.normal(3.0, 2.0, size=(1, 4)).astype("float32"))
for step in range(12):
    observations = rng.normal(3.0, 2.0, (32, 4)).astype("float32")
    following = observations + rng.normal(0.0, 0.5, (32, 4)).astype("float32")
    actions = rng.integers(0, 3, 32)
    loss = agent.train(observations, actions, following[:, 0], following)
    agent.update_target(tau=1.0)
    if step % 3 == 2:
        print(
            step,
            loss,
            "online",
            agent.q_net(probe).numpy().round(2),
            "copy",
            agent.q_net_target(probe).numpy().round(2),
        )
