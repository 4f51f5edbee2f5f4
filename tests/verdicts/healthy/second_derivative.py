"""The second derivative of a cubic, by nested tapes.

Source: https://www.tensorflow.org/guide/advanced_autodiff
"""

import tapeviz as tf

x = tf.Variable(2.0)
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = x**3
    slope = inner.gradient(y, x)
print(outer.gradient(slope, x))
