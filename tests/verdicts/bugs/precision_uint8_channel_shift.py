"""Brightened pictures have black spots where they should be white.

Adding to pixels of type uint8 wraps around at 256; the clip comes too late.

Kind: precision
Source: https://github.com/keras-team/keras-preprocessing/issues/170
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(12)
photos = rng.integers(0, 256, (4, 8, 8, 3)).astype("uint8")


def brighten(images, amount):
    shifted = tf.constant(images) + tf.constant(amount, tf.uint8)  # fault
    return tf.clip_by_value(shifted, tf.constant(0, tf.uint8), tf.constant(255, tf.uint8))


bright = brighten(photos, 150)
print("mean before", photos.mean(), "after", bright.numpy().mean(), "darker pixels", (bright.numpy() < photos).mean())
