"""The step of an optimizer in a function that a session's graph calls ended in AttributeError when it was compiled.

Mended: variables whose values a session keeps are assigned through it, packed ones too.
"""

import tapeviz as tf
from tests.fuzz.values import tensor

v = tf.Variable(tensor(1, [40]))
w = tf.Variable(tensor(2, [3, 5]))
optimizer = tf.keras.optimizers.Adam(0.1)
optimizer.build([v, w])


def program(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(v * v) * x + tf.reduce_sum(tf.abs(w))
    optimizer.apply_gradients(zip(tape.gradient(loss, [v, w]), [v, w], strict=True))
    return loss


def arguments(call):
    return [tensor(call, [])]
