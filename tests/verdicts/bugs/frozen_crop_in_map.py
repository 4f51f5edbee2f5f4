"""Each image of the data set is cropped at the same place, in all epochs.

NumPy draws the corner while the mapped function is traced, once for the whole data set.

Kind: frozen
Source: https://github.com/tensorflow/tensorflow/issues/40620
"""

import numpy as np

import tapeviz as tf

np.random.seed(6)
images = np.arange(10 * 8 * 8, dtype="float32").reshape(10, 8, 8)


def random_crop(image):
    top = np.random.randint(0, 4)  # fault
    left = np.random.randint(0, 4)  # fault
    return image[top : top + 5, left : left + 5]


dataset = tf.data.Dataset.from_tensor_slices(images).map(random_crop)
corners = []
for epoch in range(2):
    for number, crop in enumerate(dataset):
        corners.append(float(crop[0, 0]) - 64 * number)
print("corners", sorted(set(corners)))
