"""Some runs end with the loss nan from one epoch to the next: 100 in one, nan in the next.

The output of a sigmoid is exactly 1 in float32 for a large input, and the log of one minus it is taken.

Kind: nan
Source: https://github.com/hwalsuklee/tensorflow-mnist-VAE/issues/4
"""

import numpy as np

import tapeviz as tf

tf1 = tf.compat.v1
rng = np.random.RandomState(0)
digits = np.repeat((rng.rand(3, 36) < 0.3).astype("float32"), 20, axis=0)

graph = tf.Graph()
with graph.as_default():
    tf1.set_random_seed(5)
    x = tf1.placeholder(tf.float32, [None, 36], name="x")
    with tf1.variable_scope("autoencoder"):
        h = tf1.layers.dense(x, 24, activation=tf.nn.relu, name="enc")
        y = tf1.layers.dense(h, 36, activation=tf.nn.sigmoid, name="dec")
    likelihood = tf.reduce_sum(x * tf1.log(y) + (1 - x) * tf1.log(1 - y), axis=1)  # fault
    loss = -tf.reduce_mean(likelihood)
    train = tf1.train.AdamOptimizer(0.4).minimize(loss)
    init = tf1.global_variables_initializer()

with tf1.Session(graph=graph) as sess:
    sess.run(init)
    for epoch in range(15):
        for start in range(0, 60, 20):
            _, value = sess.run([train, loss], {x: digits[start : start + 20]})
        print("epoch", epoch, "loss", value)
