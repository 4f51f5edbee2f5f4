"""Solving an equation by a network ends in NaN once a batch is fitted exactly.

The relative error is a norm, whose slope at an exact fit is 0 divided by 0.

Kind: nan
Source: https://github.com/tensorflow/tensorflow/issues/42889
"""

import numpy as np

import tapeviz as tf


class Relative(tf.keras.losses.Loss):
    def call(self, y_true, y_pred):
        error = tf.norm(y_true - y_pred, axis=-1)  # fault
        return error / tf.norm(y_true, axis=-1)


t = np.linspace(0.1, 1.0, 12, dtype="float32")[:, None]
exact = np.concatenate([t, 2 * t], axis=1)
solver = tf.keras.layers.Dense(2, use_bias=False)
solver.build((None, 1))
solver.set_weights([np.array([[1.0, 2.0]], "float32")])
criterion = Relative()
optimizer = tf.keras.optimizers.Adam(1e-3)
for it in range(3):
    with tf.GradientTape() as tape:
        value = criterion(exact, solver(t))
    gradients = tape.gradient(value, solver.trainable_variables)
    optimizer.apply_gradients(zip(gradients, solver.trainable_variables))
    print(it, float(value), solver.kernel.numpy().ravel())
