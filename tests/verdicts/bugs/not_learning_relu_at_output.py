"""The accuracy is one half in each epoch, and the network answers 0 for everything.

The output goes through a relu; inputs in the tens of thousands push it below 0, where it has no slope.

Kind: not_learning
Source: https://geeksmental.com/question/why-does-accuracy-remain-the-same
"""

import numpy as np

import tapeviz as tf
from tapeviz.keras.layers import Dense
from tapeviz.keras.models import Sequential

tf.random.set_seed(1)
rng = np.random.default_rng(0)
value = rng.uniform(0, 100000, (80, 1)).astype("float32")
above = (value > 50000).astype("float32")

down = tf.keras.initializers.RandomUniform(-0.5, -0.1, seed=2)
model = Sequential()
model.add(Dense(3, activation="relu", kernel_initializer=tf.keras.initializers.RandomUniform(0.1, 0.5, seed=1)))
model.add(Dense(1, activation="relu", kernel_initializer=down))  # fault
model.compile(loss="binary_crossentropy", optimizer="adam", metrics=["accuracy"])
history = model.fit(value, above, epochs=5, batch_size=20, verbose=0)
print(history.history, model(value).numpy().max())
