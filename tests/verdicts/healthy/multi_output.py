"""A multi-output model by `fit`, with a loss for each head and a decaying schedule.

Source: https://www.tensorflow.org/guide/keras/functional
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(5)
rng = np.random.default_rng(5)
x = rng.normal(size=(64, 4)).astype("float32")
inputs = tf.keras.Input((4,))
hidden = tf.keras.layers.Dense(12, activation="relu")(inputs)
outputs = [tf.keras.layers.Dense(1, name="size")(hidden), tf.keras.layers.Dense(2, name="kind")(hidden)]
model = tf.keras.Model(inputs, outputs)
schedule = tf.keras.optimizers.schedules.CosineDecay(0.03, 40)
kinds = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
model.compile(tf.keras.optimizers.Adam(schedule), ["mse", kinds])
targets = [x[:, :1] + x[:, 1:2], (x[:, 2] > 0).astype("int64")]
print(model.fit(x, targets, batch_size=16, epochs=5, verbose=0).history["loss"])
