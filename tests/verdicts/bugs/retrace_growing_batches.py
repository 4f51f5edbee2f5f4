"""Predicting on batches of new sizes warns about retracing, and each call is slow.

Each batch size is a shape of its own, and the step has no signature that leaves it open.

Kind: retrace
Source: https://github.com/tensorflow/tensorflow/issues/34907
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(0)
model = tf.keras.Sequential([tf.keras.layers.Dense(4, activation="relu"), tf.keras.layers.Dense(1)])
model.build((None, 3))
traces = 0


@tf.function
def predict_on_batch(x):
    global traces
    traces += 1
    return model(x, training=False)


for i in range(1, 15):
    predict_on_batch(tf.constant(np.ones((i, 3), "float32")))  # fault
print("traces", traces)
