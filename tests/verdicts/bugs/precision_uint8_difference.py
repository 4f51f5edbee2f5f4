"""In dark images the change between two frames is large where nothing has moved.

The frames are uint8 and their difference wraps around below 0.

Kind: precision
Source: https://github.com/waveform80/picamera/pull/263
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(5)
background = rng.integers(2, 12, (24, 24, 3))
frames = [np.clip(background + rng.integers(-1, 2, background.shape), 0, 255).astype("uint8") for _ in range(4)]
frames[3][5:9, 5:9] = 200


def motion(before, after):
    difference = after - before  # fault
    return tf.reduce_mean(tf.cast(difference, tf.float32), axis=-1)


stack = [tf.constant(frame) for frame in frames]
for index in range(1, len(stack)):
    changed = motion(stack[index - 1], stack[index]) > 30.0
    print(index, "pixels with motion:", int(tf.reduce_sum(tf.cast(changed, tf.int32))), "of", 24 * 24)
