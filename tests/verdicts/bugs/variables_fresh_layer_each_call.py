"""The loss jumps about and never falls, though each step has gradients.

The layer is made anew within the forward pass, with new random weights each time: what is updated is thrown away.

Kind: variables
Source: https://github.com/keras-team/keras/issues/11736
"""

import numpy as np

import tapeviz as tf
from tapeviz.keras.layers import Dense

tf.random.set_seed(5)
rng = np.random.default_rng(5)
x = rng.normal(size=(40, 3)).astype("float32")
y = np.tanh(x.sum(1, keepdims=True)).astype("float32")
optimizer = tf.keras.optimizers.SGD(0.1)


def network(inputs):
    hidden = Dense(8, activation="tanh")  # fault
    output = Dense(1)  # fault
    prediction = output(hidden(inputs))
    return prediction, hidden.trainable_variables + output.trainable_variables


losses = []
for epoch in range(15):
    with tf.GradientTape() as tape:
        prediction, variables = network(x)
        loss = tf.reduce_mean(tf.square(prediction - y))
    gradients = tape.gradient(loss, variables)
    for gradient, variable in zip(gradients, variables):
        variable.assign_sub(0.1 * gradient)
    losses.append(float(loss))
print(np.round(losses, 2))
