"""An adversarial example goes up the loss on purpose, and asks for the gradient of the image alone.

Source: https://www.tensorflow.org/tutorials/generative/adversarial_fgsm
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(14)
kernel = tf.Variable(rng.normal(scale=0.2, size=(16, 3)).astype("float32"))
image = tf.constant(rng.uniform(size=(1, 16)), tf.float32)
label = tf.argmax(image @ kernel, axis=1)
for _ in range(5):
    with tf.GradientTape() as tape:
        tape.watch(image)
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=label, logits=image @ kernel)
    image = tf.clip_by_value(image + 0.05 * tf.sign(tape.gradient(loss, image)), 0.0, 1.0)
print(loss)
