"""All weights are nan after the first step; the loss before it is a usual number.

One row of the embeddings is all zeros, where the derivative of its norm is 0/0.

Kind: nan
Source: https://github.com/tensorflow/tensorflow/issues/12071
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(9)
rng = np.random.RandomState(4)
words = rng.rand(20, 6).astype("float32")
words[13] = 0.0
same = np.ones((20, 1), "float32")

project = tf.keras.layers.Dense(3, use_bias=False)
optimizer = tf.keras.optimizers.SGD(0.1)
for step in range(3):
    with tf.GradientTape() as tape:
        embedded = project(words)
        length = tf.norm(embedded, axis=1, keepdims=True)  # fault
        loss = tf.reduce_mean(tf.square(length - same))
    grads = tape.gradient(loss, project.trainable_variables)
    optimizer.apply_gradients(zip(grads, project.trainable_variables))
    print(step, float(loss))
