"""Loss and mean error are NaN in each epoch of the house-price project.

Prices near a million are squared by the loss, and the rate of 0.1 multiplies their gradients.

Kind: diverging
Source: https://github.com/rstudio-conf-2020/dl-keras-tf/issues/9
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(10)
rng = np.random.default_rng(10)
features = rng.normal(size=(128, 6)).astype("float32")
price = (180_000 + 60_000 * features[:, :1] + 20_000 * features[:, 1:2] ** 2).astype("float32")

model = tf.keras.models.Sequential(
    [
        tf.keras.layers.Dense(32, activation="relu"),
        tf.keras.layers.Dense(32, activation="relu"),
        tf.keras.layers.Dense(1),
    ]
)
model.compile(optimizer=tf.keras.optimizers.SGD(learning_rate=0.1), loss="mse", metrics=["mae"])  # fault
history = model.fit(features, price, batch_size=16, epochs=4, validation_split=0.2, verbose=0)
print(history.history)
