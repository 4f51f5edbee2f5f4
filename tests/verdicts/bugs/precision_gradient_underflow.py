"""In float16 the first layer of the small model does not move at all.

The gradients are below the smallest float16 and the loss is not scaled up for them.

Kind: precision
Source: https://github.com/tensorflow/tensorflow/pull/27655
"""

import numpy as np

import tapeviz as tf

HALF = tf.float16
rng = np.random.default_rng(8)


class HalfDense:
    def __init__(self, rows, columns, scale):
        self.master = tf.Variable(scale * rng.normal(size=(rows, columns)).astype("float32"))

    def __call__(self, x):
        return tf.matmul(x, tf.cast(self.master, HALF))


class Net:
    def __init__(self):
        self.layers = [HalfDense(8, 16, 0.05), HalfDense(16, 16, 0.02), HalfDense(16, 1, 0.002)]

    def __call__(self, x):
        for layer in self.layers[:-1]:
            x = tf.nn.relu(layer(x))
        return self.layers[-1](x)

    @property
    def weights(self):
        return [layer.master for layer in self.layers]


x = tf.constant(rng.normal(size=(512, 8)), dtype=HALF)
y = tf.constant(1e-3 * rng.normal(size=(512, 1)), dtype=HALF)
net = Net()
first = net.weights[0].numpy()
optimizer = tf.keras.optimizers.SGD(1.0)
for step in range(10):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(net(x) - y))
    grads = tape.gradient(loss, net.weights)  # fault
    optimizer.apply_gradients(zip(grads, net.weights))
    if step % 5 == 0:
        print(step, float(loss), [float(tf.reduce_mean(tf.cast(g == 0.0, tf.float32))) for g in grads])
print("first layer moved by", float(np.abs(net.weights[0].numpy() - first).max()))
