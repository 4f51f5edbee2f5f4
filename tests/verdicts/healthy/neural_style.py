"""An image is fitted to the Gram matrix of another: only the image is asked for, the filters stay.

Source: https://www.tensorflow.org/tutorials/generative/style_transfer
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(1)
filters = tf.constant(rng.normal(scale=0.3, size=(3, 3, 3, 6)), tf.float32)


def gram(image):
    features = tf.nn.relu(tf.nn.conv2d(image, filters, 1, "SAME"))
    return tf.einsum("bijc,bijd->bcd", features, features) / 100.0


style = gram(tf.constant(rng.uniform(size=(1, 10, 10, 3)), tf.float32))
image = tf.Variable(rng.uniform(size=(1, 10, 10, 3)).astype("float32") * 0.5)
optimizer = tf.keras.optimizers.Adam(0.02)
for _ in range(15):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((gram(image) - style) ** 2)
    optimizer.apply_gradients([(tape.gradient(loss, image), image)])
    image.assign(tf.clip_by_value(image, 0.0, 1.0))
print(loss)
