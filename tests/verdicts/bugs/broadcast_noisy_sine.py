"""The same network fits the sine with train_on_batch and stays a flat line in the custom loop.

A batch of labels has the shape (16,), the network's output (16, 1).

Kind: broadcast
Source: https://github.com/tensorflow/tensorflow/issues/28901
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(4)
rng = np.random.default_rng(4)

inputs = rng.uniform(-3, 3, (128, 1)).astype("float32")
targets = np.sin(inputs[:, 0]).astype("float32")
dataset = tf.data.Dataset.from_tensor_slices((inputs, targets)).batch(16)

model = tf.keras.Sequential([tf.keras.layers.Dense(20, activation="tanh"), tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.Adam(0.01)


def train_step(model, optimizer, x, y):
    with tf.GradientTape() as tape:
        y_pred = model(x)
        loss = tf.reduce_mean(tf.square(y - y_pred))  # fault
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss


for epoch in range(8):
    for x, y in dataset:
        loss = train_step(model, optimizer, x, y)
    print("epoch", epoch, "loss", float(loss))
print("spread of the predictions", float(tf.math.reduce_std(model(inputs))), "of the targets", targets.std())
