"""A function of a tensor and a Python exponent is traced for each of three exponents, by design.

Source: https://www.tensorflow.org/guide/function
"""

import tapeviz as tf


@tf.function
def power(x, exponent):
    result = tf.ones_like(x)
    for _ in range(exponent):
        result *= x
    return result


x = tf.Variable([1.0, 2.0])
for exponent in (1, 2, 3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(power(x, exponent))
    print(tape.gradient(loss, x))
