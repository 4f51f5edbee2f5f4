"""The gradient of the initial state is None.

The state is added to a variable with assign_add: what is read afterwards has no connection with what went in.

Kind: none
Source: https://github.com/sifubro/tensorflow
"""

import tapeviz as tf

start = tf.Variable(3.0)
level = tf.Variable(0.0)
rate = tf.Variable(0.5)

with tf.GradientTape() as tape:
    level.assign_add(start)  # fault
    cost = tf.square(rate * level)
print(tape.gradient(cost, [start, rate]))
