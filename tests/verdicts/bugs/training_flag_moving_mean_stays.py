"""After training the moving means are still all 0 and the moving variances 1.

Batch normalization is called under the tape without `training=True`.

Kind: training_flag
Source: https://github.com/tensorflow/tensorflow/issues/32864
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(0)
x = (np.random.RandomState(0).randn(32, 5) * 3 + 10).astype("float32")
y = x.sum(axis=1, keepdims=True)

dense = tf.keras.layers.Dense(6)
norm = tf.keras.layers.BatchNormalization(momentum=0.5)
head = tf.keras.layers.Dense(1)
optimizer = tf.keras.optimizers.Adam(0.01)

for step in range(10):
    with tf.GradientTape() as tape:
        h = tf.nn.relu(norm(dense(x)))  # fault
        loss = tf.reduce_mean(tf.square(head(h) - y))
    variables = dense.trainable_variables + norm.trainable_variables + head.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
print("loss", float(loss))
print("mean", norm.moving_mean.numpy(), "variance", norm.moving_variance.numpy())
