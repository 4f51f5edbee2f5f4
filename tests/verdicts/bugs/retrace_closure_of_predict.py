"""Scoring region after region warns about retracing, although all of them have one shape.

The traced function is defined within the method, so that each call of the method makes a new one.

Kind: retrace
Source: https://github.com/YosefLab/epitome/issues/43
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(24)
rng = np.random.default_rng(24)
traces = 0


class PeakModel:
    def __init__(self, targets):
        self.network = tf.keras.Sequential(
            [
                tf.keras.layers.Dense(12, activation="relu"),
                tf.keras.layers.Dense(targets),
            ]
        )
        self.network.build((None, 9))

    def run_predictions(self, dataset):
        @tf.function  # fault
        def predict_step(x):
            global traces
            traces += 1
            return tf.sigmoid(self.network(x))

        return np.concatenate([predict_step(x).numpy() for x in dataset])

    def score_region(self, matrix):
        dataset = tf.data.Dataset.from_tensor_slices(matrix).batch(4)
        return self.run_predictions(dataset)


model = PeakModel(targets=3)
means = []
for region in range(9):
    matrix = rng.random((8, 9)).astype("float32")
    means.append(model.score_region(matrix).mean())
print("traces", traces, np.round(means, 3))
