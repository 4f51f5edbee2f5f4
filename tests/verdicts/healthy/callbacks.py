"""`fit` with early stopping, a rate that drops on a plateau, and a validation split.

Source: https://www.tensorflow.org/guide/keras/custom_callback
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(15)
rng = np.random.default_rng(15)
x = rng.normal(size=(80, 3)).astype("float32")
y = x @ np.array([[1.0], [2.0], [-1.0]], "float32")
model = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(1)])
model.compile(tf.keras.optimizers.Adam(0.02), "mse")
callbacks = [
    tf.keras.callbacks.EarlyStopping(patience=2, restore_best_weights=True),
    tf.keras.callbacks.ReduceLROnPlateau(patience=1),
]
print(model.fit(x, y, validation_split=0.25, epochs=6, callbacks=callbacks, verbose=0).history["val_loss"])
