"""A variable that this loss doesn't use is asked for, and zeros are asked for in its stead.

Source: https://www.tensorflow.org/guide/autodiff
"""

import tapeviz as tf

shared = tf.Variable([1.0, 2.0])
other = tf.Variable([3.0])
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(shared**2)
gradients = tape.gradient(loss, [shared, other], unconnected_gradients=tf.UnconnectedGradients.ZERO)
print(gradients)
