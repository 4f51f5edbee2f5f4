"""The layer normalizes well in float32; in float16 its output is 0 wherever the signal is strong.

The squares are above the largest float16 and their mean is inf, by which is divided.

Kind: precision
Source: https://github.com/anthonymlortiz/lcn/issues/4
"""

import numpy as np

import tapeviz as tf


def local_context_norm(x, window):
    size = x.shape[1]
    pieces = tf.reshape(x, [x.shape[0], size // window, window])
    mean = tf.reduce_mean(pieces, axis=2, keepdims=True)
    squares = tf.reduce_mean(pieces * pieces, axis=2, keepdims=True)  # fault
    variance = squares - mean * mean
    return tf.reshape((pieces - mean) / tf.sqrt(variance + 1e-3), x.shape)


rng = np.random.default_rng(9)
signal = 20.0 * rng.normal(size=(3, 48))
signal[:, 16:32] *= 40.0
for dtype in ("float32", "float16"):
    normed = local_context_norm(tf.constant(signal.astype(dtype)), 16).numpy()
    print(dtype, [float(np.abs(normed[:, start : start + 16]).mean()) for start in (0, 16, 32)])
