"""A network that is to add two numbers answers the same for every row.

Inputs up to a thousand push each tanh to its flat end: the hidden layer is constant.

Kind: not_learning
Source: https://github.com/keras-team/keras/issues/6260
"""

import numpy as np

import tapeviz as tf
from tapeviz.keras import layers, models, optimizers

tf.random.set_seed(12)
x = np.arange(1, 1041, 8, dtype="float32")
y = x[::-1]
data = np.stack([x, y], axis=1)
total = np.stack([x + y / 2], axis=1)

model = models.Sequential()
model.add(layers.Input((2,)))
model.add(layers.Dense(12, kernel_initializer="random_uniform", activation="tanh"))  # fault
model.add(layers.Dense(8, activation="tanh"))
model.add(layers.Dense(1))
model.compile(loss="mean_squared_error", optimizer=optimizers.Adam(0.01))
model.fit(data, total, epochs=10, batch_size=26, verbose=0)
predictions = model.predict(data, verbose=0)
print("spread of the predictions", predictions.std(), "of the targets", total.std())
