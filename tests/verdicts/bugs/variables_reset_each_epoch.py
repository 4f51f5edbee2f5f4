"""Within an epoch the cost falls, and with every new epoch it is back where it was.

The initializer of the problem's variables is run at the start of each epoch.

Kind: variables
Source: https://github.com/google-deepmind/learning-to-learn/issues/18
"""

import numpy as np

import tapeviz as tf

tf1 = tf.compat.v1
rng = np.random.RandomState(0)
w_true = rng.randn(10, 1).astype("float32")
data = rng.randn(64, 10).astype("float32")
target = data @ w_true

graph = tf.Graph()
with graph.as_default():
    x = tf1.placeholder(tf.float32, [None, 10])
    y = tf1.placeholder(tf.float32, [None, 1])
    w = tf1.get_variable("theta", [10, 1], initializer=tf1.zeros_initializer())
    cost = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
    step = tf1.train.GradientDescentOptimizer(0.05).minimize(cost)
    reset = tf1.global_variables_initializer()


def run_epoch(sess, unrolls):
    sess.run(reset)  # fault
    for _ in range(unrolls):
        value, _ = sess.run([cost, step], feed_dict={x: data, y: target})
    return value


with tf1.Session(graph=graph) as sess:
    for epoch in range(5):
        print("epoch", epoch, "cost", run_epoch(sess, 8))
