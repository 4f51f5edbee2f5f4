"""Q-learning with a target network: its values get no gradient, and its weights follow slowly.

Source: https://keras.io/examples/rl/deep_q_network_breakout/
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(1)
rng = np.random.default_rng(1)
states = rng.normal(size=(64, 4)).astype("float32")
following = rng.normal(size=(64, 4)).astype("float32")
actions = rng.integers(0, 2, 64)
rewards = tf.constant(states[:, 0], tf.float32)
done = tf.constant(rng.random(64) < 0.2, tf.float32)
online, target = (
    tf.keras.Sequential([tf.keras.layers.Dense(16, activation="relu"), tf.keras.layers.Dense(2)]) for _ in range(2)
)
online(states), target(states)
target.set_weights(online.get_weights())
optimizer = tf.keras.optimizers.Adam(0.01)
for _ in range(15):
    best = tf.reduce_max(target(following), axis=1)
    wanted = tf.stop_gradient(rewards + 0.9 * (1.0 - done) * best)
    with tf.GradientTape() as tape:
        chosen = tf.reduce_sum(online(states) * tf.one_hot(actions, 2), axis=1)
        loss = tf.reduce_mean((wanted - chosen) ** 2)
    gradients = tape.gradient(loss, online.trainable_variables)
    optimizer.apply_gradients(zip(gradients, online.trainable_variables, strict=True))
    for slow, fast in zip(target.variables, online.variables, strict=True):
        slow.assign(0.95 * slow + 0.05 * fast)
print(loss)
