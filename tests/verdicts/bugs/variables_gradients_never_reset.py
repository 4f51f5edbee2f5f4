"""The loss falls, and then swings wider and wider, though the learning rate is small.

Gradients are added up over four batches; after they are applied nobody sets the sums back to 0.

Kind: variables
Source: https://github.com/dstrbtd/DistributedTraining/pull/24
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(34)
inputs = rng.normal(size=(160, 6)).astype("float32")
targets = inputs @ rng.normal(size=(6, 1)).astype("float32")

model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.build((None, 6))
sums = [tf.Variable(tf.zeros_like(variable), trainable=False) for variable in model.trainable_variables]
optimizer = tf.keras.optimizers.SGD(0.02)
for step in range(20):
    batch = slice(8 * step, 8 * step + 8)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(inputs[batch]) - targets[batch]))
    for total, gradient in zip(sums, tape.gradient(loss, model.trainable_variables), strict=True):
        total.assign_add(gradient)  # fault
    if step % 4 == 3:
        optimizer.apply_gradients(zip(sums, model.trainable_variables, strict=True))  # fault
