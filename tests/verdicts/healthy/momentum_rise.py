"""Heavy momentum overshoots: the loss rises for a few steps and falls again.

Source: https://distill.pub/2017/momentum/
"""

import tapeviz as tf

x = tf.Variable([3.0, 1.0])
optimizer = tf.keras.optimizers.SGD(0.02, momentum=0.9)
losses = []
for _ in range(60):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum([1.0, 8.0] * x**2)
    optimizer.apply_gradients([(tape.gradient(loss, x), x)])
    losses.append(float(loss))
print(losses[::10])
