"""The slope jumps between huge positive and negative numbers and then is NaN.

With inputs up to 40 the rate of 0.01 overshoots further in each step.

Kind: diverging
Source: https://stackoverflow.com/questions/48335501/how-to-know-correct-learning-rate-for-gradientdescentoptimizer-in-tensorflow
"""

import tapeviz as tf

v1 = tf.compat.v1

seconds = [5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 35.0, 40.0]
metres = [2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0, 16.0]

graph = tf.Graph()
with graph.as_default():
    slope = v1.get_variable("slope", initializer=tf.constant([0.3]))
    offset = v1.get_variable("offset", initializer=tf.constant([0.1]))
    guess = tf.constant(seconds) * slope + offset
    cost = tf.reduce_mean(tf.square(guess - tf.constant(metres)))
    train = v1.train.GradientDescentOptimizer(0.01).minimize(cost)  # fault
    start = v1.global_variables_initializer()

with v1.Session(graph=graph) as session:
    session.run(start)
    for i in range(40):
        _, value, a, b = session.run([train, cost, slope, offset])
        if i % 5 == 0:
            print(i, value, a, b)
