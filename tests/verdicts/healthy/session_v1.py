"""A graph of placeholders and a session, as TensorFlow 1 had them: one train op, run in a loop.

Source: https://www.tensorflow.org/guide/migrate
"""

import numpy as np

import tapeviz as tf

v1 = tf.compat.v1
rng = np.random.default_rng(8)
with tf.Graph().as_default():
    x = v1.placeholder(tf.float32, [None, 3])
    y = v1.placeholder(tf.float32, [None, 1])
    w = v1.get_variable("w", [3, 1], initializer=v1.zeros_initializer())
    loss = tf.reduce_mean((tf.matmul(x, w) - y) ** 2)
    train = v1.train.GradientDescentOptimizer(0.2).minimize(loss)
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        for _ in range(20):
            rows = rng.normal(size=(16, 3))
            _, value = session.run([train, loss], {x: rows, y: rows @ [[1.0], [-1.0], [2.0]]})
print(value)
