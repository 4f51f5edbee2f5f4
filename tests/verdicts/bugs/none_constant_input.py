"""The saliency map of an image can't be made: the gradient by the image is None.

The image is a plain tensor and is not watched; the tape watches variables alone.

Kind: none
Source: https://github.com/tensorflow/tensorflow/issues/31264
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(4)
classifier = tf.keras.Sequential(
    [
        tf.keras.layers.Conv2D(4, 3, activation="relu", input_shape=(12, 12, 1)),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(5),
    ]
)
image = tf.constant(np.random.default_rng(0).random((1, 12, 12, 1), dtype="float32"))


def saliency(model, picture, wanted):
    with tf.GradientTape() as tape:
        scores = tf.nn.softmax(model(picture))  # fault
        score = scores[0, wanted]
    return tape.gradient(score, picture)  # fault


print(saliency(classifier, image, 2))
