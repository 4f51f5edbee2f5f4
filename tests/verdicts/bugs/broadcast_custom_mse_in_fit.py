"""A Keras model with an own loss does worse than the mean price: its loss ends above the variance of the prices.

The targets of the custom loss come without the last axis, so the difference with the output is a square matrix.

Kind: broadcast
Source: https://github.com/keras-team/keras/issues/14627
"""

import numpy as np

import tapeviz as tf
from tapeviz import keras

np.random.seed(1)
tf.random.set_seed(1)
rooms = np.random.rand(96, 6).astype("float32")
price = (rooms @ np.array([3.0, -1.0, 2.0, 0.5, 0.0, 4.0], "float32") * 5).astype("float32")


def squared_error(y_true, y_pred):
    y_true = tf.reshape(y_true, [-1])
    diff = y_true - y_pred  # fault
    return tf.reduce_mean(diff * diff)


model = keras.Sequential(
    [
        keras.layers.Dense(16, activation="relu"),
        keras.layers.Dense(1),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.05), loss=squared_error)
history = model.fit(rooms, price, epochs=40, batch_size=48, verbose=0)
out = model(rooms).numpy()
print("loss", history.history["loss"][-1], "spread of outputs", out.std(), "variance of prices", price.var())
