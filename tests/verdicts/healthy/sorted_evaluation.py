"""A test set ordered by its labels is only evaluated: the order of an evaluation doesn't matter.

Source: https://www.tensorflow.org/guide/keras/training_with_built_in_methods
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(7)
rng = np.random.default_rng(7)
labels = rng.integers(0, 2, 64)
x = (rng.normal(size=(64, 3)) + labels[:, None]).astype("float32")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, activation="sigmoid")])
model.compile(tf.keras.optimizers.Adam(0.05), "binary_crossentropy", metrics=["accuracy"])
model.fit(x, labels, epochs=4, verbose=0)
order = np.argsort(labels)
print(model.evaluate(x[order], labels[order], batch_size=16, verbose=0))
