"""Each pixel of an image in channels-first layout is classified: the softmax runs over axis 1.

Source: https://pytorch.org/hub/pytorch_vision_deeplabv3_resnet101/
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(7)
images = tf.constant(rng.normal(size=(4, 3, 6, 6)), tf.float32)
labels = tf.argmax(images, axis=1)
kernel = tf.Variable(rng.normal(scale=0.3, size=(3, 3)).astype("float32"))
for _ in range(30):
    with tf.GradientTape() as tape:
        logits = tf.einsum("bchw,cd->bdhw", images, kernel)
        probabilities = tf.nn.softmax(logits, axis=1)
        chosen = tf.reduce_sum(probabilities * tf.one_hot(labels, 3, axis=1), axis=1)
        loss = -tf.reduce_mean(tf.math.log(chosen + 1e-7))
    kernel.assign_sub(1.0 * tape.gradient(loss, kernel))
print(loss)
