"""A denoising autoencoder: the features are their own labels.

Source: https://www.tensorflow.org/tutorials/generative/autoencoder
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(16)
rng = np.random.default_rng(16)
clean = (rng.normal(size=(96, 2)) @ rng.normal(size=(2, 10))).astype("float32")
noisy = clean + 0.1 * rng.normal(size=clean.shape).astype("float32")
model = tf.keras.Sequential(
    [tf.keras.layers.Dense(8, activation="tanh"), tf.keras.layers.Dense(2), tf.keras.layers.Dense(10)]
)
model.compile(tf.keras.optimizers.Adam(0.03), "mse")
print(model.fit(noisy, clean, epochs=5, verbose=0).history["loss"])
