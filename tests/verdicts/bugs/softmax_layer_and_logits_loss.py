"""The classifier's loss stops near 0.55 and never comes near zero on data it separates.

The last layer ends in a softmax, and the loss takes its output as logits and applies another.

Kind: softmax
Source: https://github.com/mmalekzadeh/dana/issues/1
"""

import numpy as np

import tapeviz as tf
from tapeviz import keras
from tapeviz.keras import layers

tf.random.set_seed(2)
rng = np.random.default_rng(2)
y_train = rng.integers(0, 3, 150)
x_train = (np.eye(3)[y_train] * 4 + rng.normal(size=(150, 3))).astype("float32")


def cross_entropy(y_true, y_pred):
    y_true = tf.reshape(tf.cast(y_true, tf.int64), [-1])
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y_true, logits=y_pred)  # fault


model = keras.Sequential(
    [
        layers.Dense(20, activation="relu"),
        layers.Dense(3, activation="softmax"),  # fault
    ]
)
model.compile(
    optimizer=keras.optimizers.Adam(0.02),
    loss=cross_entropy,
    metrics=["accuracy"],
)
h = model.fit(x_train, y_train, epochs=15, batch_size=50, verbose=0)
print(h.history["loss"][-1], h.history["accuracy"][-1])
