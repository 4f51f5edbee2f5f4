"""The validation loss jumps about and is higher than the training loss on the same rows.

The validation loop was copied from the training loop, with its `training=True`: dropout is on.

Kind: training_flag
Source: https://github.com/ooples/AiDotNet/pull/1412
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(17)
rng = np.random.default_rng(17)
x = rng.normal(size=(64, 10)).astype("float32")
y = (2.0 * x[:, :1] - x[:, 1:2]).astype("float32")

inputs = tf.keras.Input([10])
h = tf.keras.layers.Dense(48, activation="relu")(inputs)
h = tf.keras.layers.Dropout(0.6)(h)
net = tf.keras.Model(inputs, tf.keras.layers.Dense(1)(h))
optimizer = tf.keras.optimizers.Adam(0.01)
train = tf.data.Dataset.from_tensor_slices((x, y)).batch(16)
validation = tf.data.Dataset.from_tensor_slices((x, y)).batch(16)


@tf.function
def train_step(features, target):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(net(features, training=True) - target))
    gradients = tape.gradient(loss, net.trainable_variables)
    optimizer.apply_gradients(zip(gradients, net.trainable_variables))
    return loss


@tf.function
def validation_step(features, target):
    return tf.reduce_mean(tf.square(net(features, training=True) - target))  # fault


for epoch in range(6):
    for features, target in train:
        train_step(features, target)
    losses = [float(validation_step(features, target)) for features, target in validation]
    print(epoch, "val loss", np.mean(losses), "spread", np.ptp(losses))
