"""The agent converges, but takes several times as many episodes as it should.

The value head gives a column and the returns are a vector, so the advantage is a square matrix.

Kind: broadcast
Source: https://github.com/PacktPublishing/Deep-Reinforcement-Learning-Hands-On/issues/74
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(11)
rng = np.random.default_rng(11)

inputs = tf.keras.Input((6,))
common = tf.keras.layers.Dense(24, activation="relu")(inputs)
net = tf.keras.Model(inputs, [tf.keras.layers.Dense(2)(common), tf.keras.layers.Dense(1)(common)])
opt = tf.keras.optimizers.Adam(1e-3)

BATCH = 32
ENTROPY_BETA = 0.01


def make_batch():
    states = rng.normal(size=(BATCH, 6)).astype("float32")
    actions = rng.integers(0, 2, BATCH)
    returns = (states[:, 0] * (2 * actions - 1)).astype("float32")
    return tf.constant(states), tf.constant(actions), tf.constant(returns)


for step in range(8):
    states, actions, vals_ref = make_batch()
    with tf.GradientTape() as tape:
        logits, value = net(states)
        loss_value = tf.reduce_mean(tf.square(tf.squeeze(value, -1) - vals_ref))

        log_prob = tf.nn.log_softmax(logits)
        adv = vals_ref - tf.stop_gradient(value)  # fault
        chosen = tf.gather(log_prob, actions, axis=1, batch_dims=1)
        loss_policy = -tf.reduce_mean(adv * chosen)

        prob = tf.nn.softmax(logits)
        entropy = ENTROPY_BETA * tf.reduce_mean(tf.reduce_sum(prob * log_prob, axis=1))
        loss = loss_policy + loss_value + entropy
    opt.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
print("advantage", adv.shape, "policy loss", float(loss_policy))
