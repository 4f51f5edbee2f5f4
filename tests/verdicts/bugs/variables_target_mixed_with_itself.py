"""The agent's values stop growing after the first steps, as if it looked one step ahead only.

The soft update of the target network mixes the target's weights with themselves, not with the online network's.

Kind: variables
Source: https://github.com/ageron/handson-ml2/issues/89
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(42)
rng = np.random.RandomState(42)
STATES, DISCOUNT = 6, 0.9


def build():
    return tf.keras.Sequential(
        [
            tf.keras.layers.Dense(24, activation="elu", input_shape=[STATES]),
            tf.keras.layers.Dense(2),
        ]
    )


def walk(state, action):
    after = min(state + 1, STATES - 1) if action else max(state - 1, 0)
    return after, float(after == STATES - 1), after == STATES - 1


one_hot = np.eye(STATES, dtype="float32")
model, target = build(), build()
target.set_weights(model.get_weights())
optimizer = tf.keras.optimizers.Adam(0.02)
loss_fn = tf.keras.losses.Huber()


def training_step(count):
    states = rng.randint(0, STATES - 1, count)
    actions = rng.randint(0, 2, count)
    after, rewards, done = (np.array(c) for c in zip(*map(walk, states, actions)))
    best = tf.reduce_max(target(one_hot[after]), axis=1)
    wanted = rewards.astype("float32") + (1.0 - done.astype("float32")) * DISCOUNT * best
    with tf.GradientTape() as tape:
        values = tf.reduce_sum(model(one_hot[states]) * tf.one_hot(actions, 2), axis=1)
        loss = loss_fn(wanted, values)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss


def soft_update():
    target_weights = target.get_weights()
    for index in range(len(target_weights)):
        target_weights[index] = 0.95 * target_weights[index] + 0.05 * target_weights[index]  # fault
    target.set_weights(target_weights)


before = target.get_weights()
for step in range(60):
    loss = training_step(32)
    soft_update()
print("loss", float(loss), "values", model(one_hot).numpy().max(axis=1).round(2))
print("target moved by", max(float(np.abs(a - b).max()) for a, b in zip(before, target.get_weights())))
