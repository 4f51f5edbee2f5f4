"""The loss grows from thousands to a trillion and then to infinity with a rate of only 0.001.

The features are in the hundreds, so the loss is so steep that each step overshoots farther than the last.

Kind: diverging
Source: https://datascience.stackexchange.com/questions/15962/why-is-learning-rate-causing-my-neural-networks-weights-to-skyrocket
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(13)
area = rng.uniform(50, 400, (60, 1)).astype("float32")
price = 3 * area + 20
slope = tf.Variable([[0.1]])
intercept = tf.Variable([0.0])
optimizer = tf.keras.optimizers.SGD(0.001)

for epoch in range(12):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(area @ slope + intercept - price))
    gradients = tape.gradient(loss, [slope, intercept])
    optimizer.apply_gradients(zip(gradients, [slope, intercept]))  # fault
    print(epoch, float(loss))
