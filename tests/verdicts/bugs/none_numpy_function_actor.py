"""No gradients for any variable of the actor, although the loss is a sensible number.

The whole rollout, the model's forward pass too, is run by `tf.numpy_function`, whose outputs have no past.

Kind: none
Source: https://github.com/tensorflow/tensorflow/issues/47288
"""

import numpy as np

import tapeviz as tf


class ActorCritic(tf.keras.Model):
    def __init__(self, actions):
        super().__init__()
        self.body = tf.keras.layers.Dense(16, activation="tanh")
        self.policy = tf.keras.layers.Dense(actions)
        self.value = tf.keras.layers.Dense(1)

    def call(self, observation):
        h = self.body(observation)
        return self.policy(h), self.value(h)


class Agent:
    def __init__(self):
        self.rng = np.random.RandomState(7)
        self.model = ActorCritic(3)
        self.model(tf.zeros([1, 5]))
        self.optimizer = tf.keras.optimizers.RMSprop(7e-4)

    def np_rollout(self):
        states = self.rng.randn(20, 5).astype("float32")
        logits, values = self.model(states)
        actions = self.rng.randint(0, 3, 20).astype("int32")
        rewards = (actions == 1).astype("float32")
        return actions, rewards, logits.numpy(), values.numpy()  # fault

    def train_step(self):
        with tf.GradientTape() as tape:
            actions, returns, logits, values = tf.numpy_function(  # fault
                self.np_rollout, [], [tf.int32, tf.float32, tf.float32, tf.float32]
            )
            advantage = returns - tf.squeeze(values, 1)
            log_prob = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=actions, logits=logits)
            policy_loss = tf.reduce_mean(log_prob * tf.stop_gradient(advantage))
            value_loss = tf.reduce_mean(tf.square(advantage))
            loss = policy_loss + 0.5 * value_loss
        grads = tape.gradient(loss, self.model.trainable_variables)
        return float(loss), grads


tf.random.set_seed(7)
loss, grads = Agent().train_step()
print(loss, grads)
