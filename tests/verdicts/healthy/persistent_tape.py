"""One persistent tape gives the gradients of two losses, each with regard to its own variable.

Source: https://www.tensorflow.org/guide/autodiff
"""

import tapeviz as tf

a = tf.Variable(1.0)
b = tf.Variable(2.0)
with tf.GradientTape(persistent=True) as tape:
    first = (a - 3.0) ** 2
    second = (b - tf.stop_gradient(a)) ** 2
print(tape.gradient(first, a), tape.gradient(second, b))
del tape
