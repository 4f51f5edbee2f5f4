"""The mean of the image is inf, although every pixel is below 255.

The sum of a picture's pixels is above 65504, the largest float16.

Kind: precision
Source: https://github.com/numpy/numpy/issues/8133
"""

import numpy as np

import tapeviz as tf

pixels = np.random.RandomState(0).randint(0, 256, (64, 64))
img = tf.constant(pixels, dtype=tf.float16)
total = tf.reduce_sum(img)  # fault
mean = total / img.shape[0] / img.shape[1]
print("mean", float(mean), "expected", pixels.mean())
centred = img - mean
print(centred[0, :4].numpy())
