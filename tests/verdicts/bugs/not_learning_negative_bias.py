"""The click model answers with the average click rate for every row, however long it is trained.

The biases are drawn with a spread as wide as the layer, and a large negative one shuts every relu behind it.

Kind: not_learning
Source: https://github.com/facebookresearch/dlrm/pull/358
"""

import numpy as np

import tapeviz as tf

rng = np.random.RandomState(8)


def create_mlp(sizes):
    layers = []
    for n, m in zip(sizes[:-1], sizes[1:]):
        kernel = rng.normal(0.0, np.sqrt(2 / (m + n)), size=(n, m)).astype("float32")
        bias = rng.normal(0.0, 1.0, size=m).astype("float32") * m - 3 * m  # fault
        layers.append((tf.Variable(kernel), tf.Variable(bias)))
    return layers


def apply_mlp(layers, x):
    for i, (w, b) in enumerate(layers):
        x = tf.nn.bias_add(tf.matmul(x, w), b)
        if i + 1 < len(layers):
            x = tf.nn.relu(x)
    return x


bottom = create_mlp([6, 16, 8])
top = create_mlp([8, 8, 4])
final = tf.Variable(rng.normal(0, 0.5, (4, 1)).astype("float32")), tf.Variable(tf.zeros([1]))
parameters = [p for layer in [*bottom, *top, final] for p in layer]

dense = tf.constant(rng.rand(64, 6), tf.float32)
clicked = tf.constant((rng.rand(64, 1) < 0.5).astype("float32"))
optimizer = tf.keras.optimizers.SGD(0.1)

losses = []
for step in range(12):
    with tf.GradientTape() as tape:
        features = tf.nn.relu(apply_mlp(bottom, dense))
        interaction = tf.nn.relu(apply_mlp(top, features))
        logit = tf.matmul(interaction, final[0]) + final[1]
        loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=clicked, logits=logit))
    gradients = tape.gradient(loss, parameters)
    optimizer.apply_gradients(zip(gradients, parameters))
    losses.append(float(loss))
print(losses[::4], "spread of the answers", float(tf.math.reduce_std(logit)))
