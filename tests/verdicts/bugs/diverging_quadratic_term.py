"""After adding a square term to the tutorial's regression the parameters are large, and NaN in the end.

The squares of the inputs are in the hundreds, and the rate of the straight line is kept.

Kind: diverging
Source: https://github.com/chiphuyen/stanford-tensorflow-tutorials/issues/54
"""

import numpy as np

import tapeviz as tf

tf1 = tf.compat.v1
rng = np.random.RandomState(42)
fires = rng.uniform(2, 40, 42).astype("float32")
thefts = (0.02 * fires**2 + 1.5 * fires + 10 + rng.randn(42)).astype("float32")

with tf.Graph().as_default():
    X = tf1.placeholder(tf.float32, name="X")
    Y = tf1.placeholder(tf.float32, name="Y")
    w = tf1.get_variable("weight_1", initializer=tf.constant(0.0))
    u = tf1.get_variable("weight_2", initializer=tf.constant(0.0))
    b = tf1.get_variable("bias", initializer=tf.constant(0.0))
    predicted = X * X * u + X * w + b
    loss = tf.square(Y - predicted, name="loss")
    optimizer = tf1.train.GradientDescentOptimizer(learning_rate=0.001).minimize(loss)  # fault

    with tf1.Session() as sess:
        sess.run(tf1.global_variables_initializer())
        for epoch in range(2):
            total = 0.0
            for fire, theft in zip(fires, thefts):
                _, l = sess.run([optimizer, loss], {X: fire, Y: theft})
                total += l
            print("epoch", epoch, total / len(fires), sess.run([w, u, b]))
