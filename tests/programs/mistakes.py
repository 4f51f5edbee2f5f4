"""Cells with a mistake each, for those who look for it by keys, by a screen reader or in a terminal."""

from __future__ import annotations

from typing import Final

__all__ = ["BROADCAST", "MISSING", "NONFINITE", "RETRACED", "SETUP", "VANISHING"]

SETUP: Final = "%load_ext tapeviz\nimport numpy as np\nimport tapeviz as tf"
MISSING: Final = """%%tape
tf.random.set_seed(0)
x, y = tf.random.normal([8, 3]), tf.random.normal([8, 1])
w1, w2 = tf.Variable(tf.random.normal([3, 4]), name="w1"), tf.Variable(tf.random.normal([4, 1]), name="w2")
with tf.GradientTape() as g:
    out = tf.constant((tf.tanh(x @ w1) @ w2).numpy())
    loss = tf.reduce_mean((out - y) ** 2) + 0.01 * tf.reduce_sum(w1 ** 2)
d1, d2 = g.gradient(loss, [w1, w2])"""
NONFINITE: Final = """%%tape
scores = tf.constant([[1.0, 2.0], [90.0, 3.0]])
w = tf.Variable([[1.0, 0.0], [0.0, 1.0]], name="w")
with tf.GradientTape() as g:
    powers = tf.exp(scores @ w)
    shares = powers / tf.reduce_sum(powers, axis=1, keepdims=True)
    loss = tf.reduce_mean(tf.math.log(shares))
dw = g.gradient(loss, w)"""
RETRACED: Final = """%%tape
@tf.function
def explore(state, epsilon):
    return state * (1.0 - epsilon)
state = tf.ones([4])
for episode in range(8):
    state = explore(state, 0.9 ** episode)"""
VANISHING: Final = """%%tape
tf.random.set_seed(0)
rng = np.random.default_rng(0)
x, y = tf.constant(rng.normal(size=(32, 8)), tf.float32), tf.constant(rng.normal(size=(32, 1)), tf.float32)
model = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="sigmoid", name=f"dense_{i}") for i in range(1, 9)])
model.add(tf.keras.layers.Dense(1, name="head"))
with tf.GradientTape() as g:
    loss = tf.reduce_mean((model(x) - y) ** 2)
gradients = g.gradient(loss, model.trainable_variables)"""
BROADCAST: Final = """%%tape
rng = np.random.default_rng(0)
features = rng.normal(size=(24, 2)).astype("float32")
target = (4.0 + 7.0 * features[:, 0]).astype("float32")
w = tf.Variable(tf.zeros([2, 1]), name="w")
for step in range(3):
    with tf.GradientTape() as g:
        predicted = features @ w
        loss = tf.reduce_mean((predicted - target) ** 2)
    w.assign_sub(0.1 * g.gradient(loss, w))"""
