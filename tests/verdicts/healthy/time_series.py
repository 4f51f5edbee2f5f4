"""A GRU predicts the next value of a wave from windows.

Source: https://www.tensorflow.org/tutorials/structured_data/time_series
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(17)
wave = np.sin(np.arange(120) * 0.3).astype("float32")
windows = np.stack([wave[i : i + 11] for i in range(100)])
model = tf.keras.Sequential([tf.keras.layers.GRU(8), tf.keras.layers.Dense(1)])
model.compile(tf.keras.optimizers.Adam(0.02), "mse")
print(model.fit(windows[:, :-1, None], windows[:, -1:], epochs=4, verbose=0).history["loss"])
