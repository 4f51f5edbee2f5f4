"""Whether a picture is red, green or blue is not learnt: the accuracy stays at chance.

The pictures are channels first and are brought to channels last by a reshape; the colours of a pixel are three neighbours of one channel.

Kind: data
Source: https://github.com/ohtlab/headpose-fsanet-pytorch/issues/4
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(12)


def read(count):
    rng = np.random.default_rng(12)
    hue = rng.integers(0, 3, count)
    pictures = rng.uniform(0.0, 0.3, (count, 3, 9, 9))
    pictures[np.arange(count), hue] += 0.6
    return pictures.astype("float32"), hue


def to_channels_last(pictures):
    count, channels, height, width = pictures.shape
    return tf.reshape(pictures, [count, height, width, channels])  # fault


pictures, hue = read(60)
x = to_channels_last(tf.constant(pictures))
print("mean colour of a red picture", x.numpy()[hue == 0][0].mean(axis=(0, 1)))
net = tf.keras.Sequential(
    [
        tf.keras.layers.Conv2D(6, 1, activation="relu"),
        tf.keras.layers.GlobalAveragePooling2D(),
        tf.keras.layers.Dense(3),
    ]
)
net.compile(
    optimizer=tf.keras.optimizers.Adam(0.05),
    loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
print(net.fit(x, hue, epochs=8, verbose=0).history["accuracy"])
