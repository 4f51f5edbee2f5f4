"""The depth maps come out as one blurred mean of the batch.

The maps of the data set have no channel axis: (n, h, w, 1) against (n, h, w) pairs each with each.

Kind: broadcast
Source: https://github.com/jiwei0921/CoNet/issues/3
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(1)
rng = np.random.default_rng(1)
images = tf.constant(rng.random((4, 4, 4, 3)), tf.float32)
depth = tf.constant(images.numpy().mean(axis=-1))

net = tf.keras.Sequential(
    [
        tf.keras.layers.Conv2D(8, 3, padding="same", activation="relu"),
        tf.keras.layers.Conv2D(1, 1),
    ]
)
adam = tf.keras.optimizers.Adam(0.01)


def smooth_l1(predicted, wanted):
    difference = tf.abs(predicted - wanted)  # fault
    return tf.reduce_sum(tf.where(difference < 1.0, 0.5 * difference**2, difference - 0.5))


for step in range(25):
    with tf.GradientTape() as tape:
        loss = smooth_l1(net(images), depth)
    adam.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
print("loss", float(loss), "error of the maps", float(tf.reduce_mean(tf.abs(net(images)[..., 0] - depth))))
