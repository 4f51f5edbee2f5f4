"""The derivative of x squared at 9 comes back as None.

The function is called in the arguments of `gradient`, after the tape has ended.

Kind: none
Source: https://github.com/tensorflow/tensorflow/issues/27660
"""

import tapeviz as tf


def f(x):
    return x**2


def grad(x):
    with tf.GradientTape() as t:
        t.watch(x)
    return t.gradient(f(x), x)  # fault


x = tf.convert_to_tensor(9.0)
print(grad(x))
