"""An LSTM reads padded sentences with a mask and classifies them by a sigmoid.

Source: https://www.tensorflow.org/text/tutorials/text_classification_rnn
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(3)
rng = np.random.default_rng(3)
tokens = rng.integers(2, 20, (48, 9))
labels = rng.integers(0, 2, 48).astype("float32")
tokens[labels == 1, 1] = 1
tokens[np.arange(9) >= rng.integers(4, 10, 48)[:, None]] = 0
layers = tf.keras.layers
model = tf.keras.Sequential(
    [
        layers.Embedding(20, 8, mask_zero=True),
        layers.Bidirectional(layers.LSTM(8)),
        layers.Dense(8, activation="tanh"),
        layers.Dense(1, activation="sigmoid"),
    ]
)
model.compile(tf.keras.optimizers.Adam(0.02), "binary_crossentropy", metrics=["accuracy"])
history = model.fit(tokens, labels, batch_size=24, epochs=4, verbose=0)
print(history.history["loss"])
