"""A custom loop trains the network less well than fit, and the moving means of batch normalization never move.

The model is called without training=True under the tape: dropout and batch normalization run as for inference.

Kind: training_flag
Source: https://github.com/tensorflow/tensorflow/issues/31184
"""

import numpy as np

import tapeviz as tf
from tapeviz import keras
from tapeviz.keras import layers

tf.random.set_seed(3)
rng = np.random.default_rng(3)
images = (rng.normal(size=(60, 10)) * 5 + 20).astype("float32")
classes = (images[:, 0] > 20).astype("int64")

model = keras.Sequential(
    [
        layers.Dense(16),
        layers.BatchNormalization(),
        layers.ReLU(),
        layers.Dropout(0.4),
        layers.Dense(2),
    ]
)
model.build((None, 10))
loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
optimizer = keras.optimizers.Adam(1e-2)


def train_on_batch(x, y):
    with tf.GradientTape() as tape:
        logits = model(x, training=False)  # fault
        loss = loss_fn(y, logits)
    gradients = tape.gradient(loss, model.trainable_weights)
    optimizer.apply_gradients(zip(gradients, model.trainable_weights))
    return loss


for epoch in range(4):
    for start in range(0, 60, 20):
        loss = train_on_batch(images[start : start + 20], classes[start : start + 20])
print("loss", float(loss), "moving mean", model.layers[1].moving_mean.numpy()[:3])
