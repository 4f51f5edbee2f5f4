"""The convolutional network stays at chance from the first step on.

The initializer's first argument is the mean: all weights are near 1 rather than spread by it.

Kind: not_learning
Source: https://github.com/aiUIUC/pyAIUtils/issues/25
"""

import numpy as np

import tapeviz as tf

tf1 = tf.compat.v1
rng = np.random.RandomState(3)
images = rng.rand(48, 6, 6, 1).astype("float32")
labels = (images[:, :3].sum(axis=(1, 2, 3)) > images[:, 3:].sum(axis=(1, 2, 3))).astype("float32")[:, None]


def conv(x, channels, stddev=0.5):
    w_init = tf1.random_normal_initializer(stddev, 1e-3, seed=1)  # fault
    w = tf1.get_variable("w", [3, 3, x.shape[-1], channels], initializer=w_init)
    b = tf1.get_variable("b", [channels], initializer=tf1.zeros_initializer())
    return tf.nn.tanh(tf.nn.conv2d(x, w, strides=1, padding="SAME") + b)


def dense(x, units, stddev=0.5):
    w_init = tf1.random_normal_initializer(stddev, 1e-3, seed=2)  # fault
    w = tf1.get_variable("w", [x.shape[-1], units], initializer=w_init)
    b = tf1.get_variable("b", [units], initializer=tf1.zeros_initializer())
    return tf.matmul(x, w) + b


with tf.Graph().as_default():
    tf1.set_random_seed(0)
    x = tf1.placeholder(tf.float32, [None, 6, 6, 1])
    y = tf1.placeholder(tf.float32, [None, 1])
    h = x
    for layer in range(3):
        with tf1.variable_scope(f"conv{layer}"):
            h = conv(h, 4)
    with tf1.variable_scope("fc"):
        logits = dense(tf.reshape(h, [-1, 6 * 6 * 4]), 1)
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logits))
    correct = tf.reduce_mean(tf.cast(tf.equal(logits > 0, y > 0.5), tf.float32))
    train = tf1.train.GradientDescentOptimizer(1e-3).minimize(loss)
    with tf1.Session() as sess:
        sess.run(tf1.global_variables_initializer())
        for step in range(15):
            value, accuracy, _ = sess.run([loss, correct, train], {x: images, y: labels})
            print(step, value, accuracy)
