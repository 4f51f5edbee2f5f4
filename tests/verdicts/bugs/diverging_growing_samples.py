"""The fit comes close to the line, then swings wider with each sample and blows up.

Samples come one by one with growing x, and the gradient grows with the square of it.

Kind: diverging
Source: https://example-a.com/answer/56894982
"""

import tapeviz as tf

M = tf.Variable([0.4], dtype=tf.float32)
b = tf.Variable([-0.4], dtype=tf.float32)
optimizer = tf.keras.optimizers.SGD(0.01)  # fault


def linear_model(x):
    return M * x + b


for i in range(60):
    x, y = float(i), 2.0 * i
    with tf.GradientTape() as tape:
        error = linear_model(x) - y
        loss = tf.square(error)
    optimizer.apply_gradients(zip(tape.gradient(loss, [M, b]), [M, b]))  # fault
    if i % 6 == 0:
        print(i, M.numpy(), b.numpy(), loss.numpy())
