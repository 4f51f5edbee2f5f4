"""The triplet loss is a number once, then all weights are NaN.

The distance of an anchor to a positive that equals it is 0, where the square root has an infinite slope.

Kind: nan
Source: https://github.com/tensorflow/tensorflow/issues/30199
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(6)
anchors = rng.normal(size=(10, 6)).astype("float32")
positives = anchors + rng.normal(scale=0.1, size=(10, 6)).astype("float32")
positives[3] = anchors[3]
negatives = rng.normal(size=(10, 6)).astype("float32")

projection = tf.keras.layers.Dense(4, use_bias=False)
projection.build((None, 6))
optimizer = tf.keras.optimizers.SGD(0.05)


def distance(a, b):
    return tf.sqrt(tf.reduce_sum(tf.square(a - b), axis=1))  # fault


def triplet_loss(a, p, n, margin=5.0):
    return tf.reduce_mean(tf.maximum(distance(a, p) - distance(a, n) + margin, 0.0))


for step in range(4):
    with tf.GradientTape() as tape:
        loss = triplet_loss(projection(anchors), projection(positives), projection(negatives))
    grads = tape.gradient(loss, projection.trainable_variables)
    optimizer.apply_gradients(zip(grads, projection.trainable_variables))
    print(step, float(loss), bool(np.isnan(projection.kernel.numpy()).any()))
