"""Reading the text of a folder of pictures warns for each of them that the detector was traced again.

The pictures come in their own sizes, and are neither padded nor resized to a common one.

Kind: retrace
Source: https://github.com/faustomorales/keras-ocr/issues/63
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(26)
rng = np.random.default_rng(26)
detector = tf.keras.layers.Conv2D(2, 3, padding="same", activation="sigmoid")
detector.build((None, None, None, 3))
traces = []


def preprocess(picture):
    picture = picture.astype("float32") / 255
    return tf.constant((picture - picture.mean()) / picture.std())[None]


@tf.function
def detect(batch):
    traces.append(tuple(batch.shape))
    heat = detector(batch)
    return tf.reduce_max(heat, axis=[1, 2])


def recognize(pictures):
    return [detect(preprocess(picture)).numpy() for picture in pictures]  # fault


folder = [rng.integers(0, 256, (8 + i, 20 - i, 3)) for i in range(10)]
found = recognize(folder)
print("pictures", len(found), "traces", len(traces))
