"""After the preparation all images are black, and the network gives the same answer to each.

The pictures are between 0 and 1 already when they are cast to uint8.

Kind: precision
Source: https://github.com/InnopolisUni/innofw/issues/96
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(3)


def load(count):
    return np.random.RandomState(0).uniform(0.0, 0.99, (count, 16, 16, 3)).astype("float32")


def augment(images):
    flipped = tf.reverse(images, axis=[2])
    return tf.concat([images, flipped], axis=0)


def prep_data(images):
    images = tf.cast(images, tf.uint8)  # fault
    return tf.cast(augment(images), tf.float32) / 255.0


net = tf.keras.Sequential(
    [
        tf.keras.layers.Conv2D(6, 3, activation="relu"),
        tf.keras.layers.GlobalMaxPooling2D(),
        tf.keras.layers.Dense(3, activation="softmax"),
    ]
)
batch = prep_data(tf.constant(load(4)))
print("largest pixel", float(tf.reduce_max(batch)))
print(net(batch).numpy())
