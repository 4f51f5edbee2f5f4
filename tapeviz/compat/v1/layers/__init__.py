"""``tf.layers``: layers that find their variables by name, as classes and as functions.

>>> import tapeviz.compat.v1 as tf
>>> with tf.Graph().as_default(), tf.Session() as session:
...     pixels = tf.placeholder(tf.float32, [None, 64])
...     hidden = tf.layers.dense(pixels, 20, activation=tf.nn.relu, name="hidden")
...     scores = tf.layers.dense(hidden, 10, name="scores")
...     session.run(tf.global_variables_initializer())
...     print(session.run(scores, {pixels: [[0.0] * 64]}).shape, tf.trainable_variables()[0].name)
(1, 10) hidden/kernel:0
"""

from tapeviz.namespaces.lazy import attach

attach(__name__)
