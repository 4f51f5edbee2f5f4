"""The weights of a one-neuron regression are NaN before the first epoch ends.

The inputs go up to 199, for which a step of 0.001 is far beyond what the curvature allows.

Kind: diverging
Source: https://github.com/keras-team/keras/issues/3040
"""

import numpy as np

import tapeviz as tf
from tapeviz.keras.layers import Dense
from tapeviz.keras.models import Sequential
from tapeviz.keras.optimizers import SGD

tf.random.set_seed(0)
x = 1.0 * np.arange(200, dtype="float32").reshape(-1, 1)
y = 2.0 * x

model = Sequential([Dense(1)])
sgd = SGD(learning_rate=0.001)  # fault
model.compile(loss="mean_squared_error", optimizer=sgd)
model.fit(x, y, epochs=1, batch_size=1, verbose=0, shuffle=False)
print(model.get_weights(), model.predict(x[:3], verbose=0))
