"""On some data sets the simulator's training prints warnings all the time, and slows to a crawl.

Each scene has another number of particles, so that each batch has a shape not seen before.

Kind: retrace
Source: https://github.com/isl-org/DeepLagrangianFluids/issues/28
"""

import numpy as np

import tapeviz as tf


def make_scene(rng, n):
    position = rng.random((n, 2)).astype("float32")
    velocity = rng.normal(0, 0.1, (n, 2)).astype("float32")
    return position, velocity, position + 0.1 * velocity - np.float32([0, 0.01])


def main():
    rng = np.random.default_rng(25)
    tf.random.set_seed(25)
    inner = tf.keras.layers.Dense(16, activation="relu")
    outer = tf.keras.layers.Dense(2)
    inner.build((None, 6))
    outer.build((None, 16))
    variables = inner.trainable_variables + outer.trainable_variables
    optimizer = tf.keras.optimizers.Adam(1e-3)
    optimizer.build(variables)
    traces = []

    @tf.function
    def train(position, velocity, wanted):
        traces.append(position.shape)
        with tf.GradientTape() as tape:
            apart = position[:, None] - position[None]
            near = tf.exp(-10 * tf.reduce_sum(apart**2, axis=2))
            pressure = tf.reduce_sum(near[..., None] * apart, axis=1)
            features = tf.concat([position, velocity, pressure], axis=1)
            loss = tf.reduce_mean((position + outer(inner(features)) - wanted) ** 2)
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss

    for scene in range(10):
        frame = make_scene(rng, 20 + 3 * scene)
        loss = train(*map(tf.constant, frame))  # fault
    print("traces", len(traces), "loss", float(loss))


main()
