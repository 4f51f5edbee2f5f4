"""The noisy model is not noisy: it gives the same output twice for the same input.

The noise was drawn once, while the model was put together, and is a constant of it.

Kind: frozen
Source: https://github.com/tensorflow/tensorflow/issues/36715
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(3)
inputs = tf.keras.Input(shape=(10,))
noise = tf.random.normal(shape=(32, 10), name="noise")  # fault
noisy = tf.keras.layers.Lambda(lambda t: t + noise)(inputs)
outputs = tf.keras.layers.Dense(2)(noisy)
model = tf.keras.Model(inputs, outputs)
model.compile("sgd", "mse")

x = np.ones((32, 10), "float32")
model.fit(x, np.zeros((32, 2), "float32"), batch_size=32, epochs=4, verbose=0)
first, second = model(x), model(x)
print("same output twice", bool(tf.reduce_all(first == second)))
