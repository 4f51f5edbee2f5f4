"""The noise added for augmentation is the same in every step, so the network overfits as without it.

NumPy draws the noise while the function is traced; the graph holds that one array as a constant.

Kind: frozen
Source: https://github.com/google-research/seed_rl/issues/52
"""

import numpy as np

import tapeviz as tf

np.random.seed(8)
signal = tf.constant(np.random.randn(16, 5), tf.float32)


@tf.function
def augment(batch):
    noise = np.random.normal(0, 0.5, (16, 5)).astype("float32")  # fault
    return batch + noise


first, second = augment(signal), augment(signal)
print("same noise twice:", bool(tf.reduce_all(first == second)))
