"""Batches from a shuffled data set feed a traced step; metrics are kept and reset.

Source: https://www.tensorflow.org/tutorials/quickstart/advanced
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(2)
rng = np.random.default_rng(2)
x = rng.normal(size=(64, 3)).astype("float32")
labels = (x.sum(axis=1) > 0).astype("int64")
batches = tf.data.Dataset.from_tensor_slices((x, labels)).shuffle(64, seed=1).batch(16)
model = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(2)])
model(x)
cross_entropy = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
optimizer = tf.keras.optimizers.Adam(0.03)
mean = tf.keras.metrics.Mean()


@tf.function
def train_step(features, answers):
    with tf.GradientTape() as tape:
        loss = cross_entropy(answers, model(features, training=True))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    mean(loss)


for _ in range(4):
    mean.reset_state()
    for features, answers in batches:
        train_step(features, answers)
print(mean.result())
