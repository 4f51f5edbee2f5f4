"""REINFORCE with a value baseline on a corridor: ascent on the return, the advantage without a gradient.

Source: https://www.tensorflow.org/tutorials/reinforcement_learning/actor_critic
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(9)
rng = np.random.default_rng(9)
body = tf.keras.layers.Dense(16, activation="tanh")
actor, critic = tf.keras.layers.Dense(2), tf.keras.layers.Dense(1)
optimizer = tf.keras.optimizers.Adam(0.03)
for _ in range(12):
    states, actions, returns = [], [], []
    for _ in range(4):
        place, rewards = 0, []
        for _ in range(8):
            state = np.eye(5, dtype="float32")[place]
            chances = tf.nn.softmax(actor(body(state[None])))[0].numpy().astype("float64")
            action = int(rng.choice(2, p=chances / chances.sum()))
            place = int(np.clip(place + (1 if action else -1), 0, 4))
            states.append(state)
            actions.append(action)
            rewards.append(1.0 if place == 4 else -0.1)
        returns += [sum(0.9**k * r for k, r in enumerate(rewards[t:])) for t in range(8)]
    with tf.GradientTape() as tape:
        hidden = body(np.stack(states))
        values = tf.squeeze(critic(hidden), axis=1)
        advantage = tf.stop_gradient(tf.constant(returns, tf.float32) - values)
        log_chances = tf.nn.log_softmax(actor(hidden))
        chosen = tf.reduce_sum(log_chances * tf.one_hot(actions, 2), axis=1)
        policy_loss = -tf.reduce_mean(chosen * advantage)
        loss = policy_loss + 0.5 * tf.reduce_mean((tf.constant(returns, tf.float32) - values) ** 2)
    variables = body.trainable_variables + actor.trainable_variables + critic.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
print(np.mean(returns))
