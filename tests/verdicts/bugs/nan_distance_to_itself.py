"""The gradient of the loss on pairwise distances is nan in every row; the distances are right.

Each point is at distance 0 from itself, where the square root has an infinite slope.

Kind: nan
Source: https://github.com/pytorch/pytorch/issues/2421
"""

import numpy as np

import tapeviz as tf


def pairwise(points):
    difference = points[:, None, :] - points[None, :, :]
    return tf.sqrt(tf.reduce_sum(difference * difference, axis=-1))  # fault


def crowding(points, margin=0.3):
    return tf.reduce_mean(tf.nn.relu(margin - pairwise(points)))


points = tf.Variable(np.random.RandomState(1).rand(7, 2).astype("float32"))
for step in range(3):
    with tf.GradientTape() as tape:
        loss = crowding(points)
    gradient = tape.gradient(loss, points)
    points.assign_sub(0.1 * gradient)
    print(step, float(loss), gradient[0].numpy())
