"""The average reward of the agent falls the longer it trains.

The actor's loss is the mean value of its actions, which the optimizer makes small: the sign is missing.

Kind: variables
Source: https://github.com/KanishJebaMathewM/Truxify/pull/11885
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(3)
rng = np.random.RandomState(3)
states = tf.constant(rng.uniform(-1, 1, (128, 4)).astype("float32"))
goal = tf.constant([[0.5], [-0.25], [0.1], [0.8]])

actor = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(24, activation="relu", input_shape=(4,)),
        tf.keras.layers.Dense(1, activation="tanh"),
    ]
)


def reward(state, action):
    return -tf.square(action - tf.matmul(state, goal))


class Critic(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden = tf.keras.layers.Dense(32, activation="relu")
        self.value = tf.keras.layers.Dense(1)

    def call(self, state, action):
        return self.value(self.hidden(tf.concat([state, action], axis=1)))


critic = Critic()
critic_optimizer = tf.keras.optimizers.Adam(0.01)
actor_optimizer = tf.keras.optimizers.Adam(0.01)

for episode in range(40):
    explored = tf.clip_by_value(actor(states) + tf.random.normal([128, 1], stddev=0.3), -1.0, 1.0)
    with tf.GradientTape() as tape:
        critic_loss = tf.reduce_mean(tf.square(critic(states, explored) - reward(states, explored)))
    critic_optimizer.apply_gradients(
        zip(tape.gradient(critic_loss, critic.trainable_variables), critic.trainable_variables)
    )
    with tf.GradientTape() as tape:
        q_values = critic(states, actor(states))
        actor_loss = tf.reduce_mean(q_values)  # fault
    actor_optimizer.apply_gradients(
        zip(tape.gradient(actor_loss, actor.trainable_variables), actor.trainable_variables)
    )
    if episode % 10 == 0:
        print(episode, float(tf.reduce_mean(reward(states, actor(states)))))
print(float(tf.reduce_mean(reward(states, actor(states)))))
