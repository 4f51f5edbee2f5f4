"""The gradient of ReLU at negative inputs is 0 and stays so: it is the derivative that is asked for.

Source: https://www.tensorflow.org/guide/autodiff
"""

import tapeviz as tf

x = tf.constant([-2.0, -1.0, -0.5])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.nn.relu(x)
print(tape.gradient(y, x))
