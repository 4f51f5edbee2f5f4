"""An imbalanced problem with class weights and a first bias that knows the odds.

Source: https://www.tensorflow.org/tutorials/structured_data/imbalanced_data
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(14)
rng = np.random.default_rng(14)
labels = (rng.random(200) < 0.1).astype("float32")
x = (rng.normal(size=(200, 3)) + 1.5 * labels[:, None]).astype("float32")
bias = tf.keras.initializers.Constant(float(np.log(labels.sum() / (200 - labels.sum()))))
model = tf.keras.Sequential([tf.keras.layers.Dense(1, activation="sigmoid", bias_initializer=bias)])
model.compile(tf.keras.optimizers.Adam(0.05), "binary_crossentropy")
history = model.fit(x, labels, epochs=4, class_weight={0: 0.55, 1: 5.0}, verbose=0)
print(history.history["loss"])
