"""The hidden layers never change, and the loss stays where it started.

All weights are initialized with zeros: nothing flows to or from the hidden units.

Kind: not_learning
Source: https://github.com/udlbook/udlbook/issues/87
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(17)
x = rng.normal(size=(64, 5)).astype("float32")
y = np.sin(x[:, :1]).astype("float32")
y -= y.mean()


def make_layer(n_in, n_out):
    return tf.Variable(tf.zeros([n_in, n_out])), tf.Variable(tf.zeros([n_out]))  # fault


layers = [make_layer(5, 16), make_layer(16, 16), make_layer(16, 1)]
parameters = [p for layer in layers for p in layer]


def predict(h):
    for i, (w, b) in enumerate(layers):
        h = tf.matmul(h, w) + b
        if i < len(layers) - 1:
            h = tf.nn.relu(h)
    return h


for epoch in range(20):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((predict(x) - y) ** 2)
    for p, g in zip(parameters, tape.gradient(loss, parameters)):
        p.assign_sub(0.1 * g)
    if epoch % 5 == 0:
        print(epoch, float(loss), float(tf.norm(layers[0][0])))
