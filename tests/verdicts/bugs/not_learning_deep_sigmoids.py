"""Four hidden layers learn nothing from the binary vectors: the error stays at that of a constant.

Each sigmoid passes at most a quarter of the gradient, so almost nothing arrives at the first layers.

Kind: not_learning
Source: https://ai.stackexchange.com/questions/16557/what-could-be-the-problem-when-a-neural-network-with-four-hidden-layers-with-the
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(1)
rng = np.random.default_rng(1)
bits = rng.integers(0, 2, (128, 20)).astype("float32")
values = (bits @ rng.normal(size=(20, 1))).astype("float32")

model = tf.keras.Sequential()
for _ in range(4):
    model.add(tf.keras.layers.Dense(40, activation="sigmoid"))  # fault
model.add(tf.keras.layers.Dense(1))
model.compile(optimizer=tf.keras.optimizers.SGD(0.01), loss="mse")
history = model.fit(bits, values, batch_size=32, epochs=15, verbose=0)
print(history.history["loss"][::5], "variance", values.var())
