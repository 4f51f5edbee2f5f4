"""The ten classes are told apart, and yet the loss stays near 1.5 and will not fall further.

The last layer is a softmax, and the loss function normalizes its output once more.

Kind: softmax
Source: https://github.com/tflearn/tflearn/pull/562
"""

import numpy as np

import tapeviz as tf

tf1 = tf.compat.v1
rng = np.random.RandomState(7)
classes = np.arange(100) % 10
pixels = (np.eye(10)[classes] @ rng.randn(10, 12) * 2 + 0.3 * rng.randn(100, 12)).astype("float32")

graph = tf.Graph()
with graph.as_default():
    tf1.set_random_seed(3)
    X = tf1.placeholder(tf.float32, shape=(None, 12))
    Y = tf1.placeholder(tf.float32, shape=(None, 10))
    net = tf1.layers.dense(X, 32, activation=tf.nn.relu)
    net = tf1.layers.dense(net, 10, activation=tf.nn.softmax)
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(logits=net, labels=Y))  # fault
    train_op = tf1.train.AdamOptimizer(0.02).minimize(loss)
    hits = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(net, 1), tf.argmax(Y, 1)), tf.float32))
    init = tf1.global_variables_initializer()

with tf1.Session(graph=graph) as session:
    session.run(init)
    for step in range(60):
        value, accuracy, _ = session.run([loss, hits, train_op], {X: pixels, Y: np.eye(10)[classes]})
        if step % 10 == 0:
            print(step, "loss", value, "accuracy", accuracy)
    print("loss", value, "accuracy", accuracy)
