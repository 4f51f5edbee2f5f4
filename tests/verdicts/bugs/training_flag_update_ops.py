"""At test time the graph answers nonsense: the moving averages have their first values.

The moving averages are updated by ops in a collection, on which the training op does not depend.

Kind: training_flag
Source: https://github.com/CharlesShang/TFFRCNN/issues/142
"""

import numpy as np

import tapeviz as tf

tf1 = tf.compat.v1
rng = np.random.RandomState(0)
data = (5.0 + 2.0 * rng.randn(64, 3)).astype("float32")
wanted = (data.sum(axis=1, keepdims=True) > 15).astype("float32")

graph = tf.Graph()
with graph.as_default():
    tf1.set_random_seed(2)
    x = tf1.placeholder(tf.float32, [None, 3], name="x")
    y = tf1.placeholder(tf.float32, [None, 1], name="y")
    is_training = tf1.placeholder_with_default(False, [], name="is_training")
    hidden = tf1.layers.dense(x, 8, name="fc1")
    hidden = tf1.layers.batch_normalization(hidden, training=is_training, momentum=0.8, name="bn1")
    logits = tf1.layers.dense(tf.nn.relu(hidden), 1, name="fc2")
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logits))
    train_op = tf1.train.AdamOptimizer(0.02).minimize(loss)  # fault
    averages = [v for v in tf1.global_variables() if "moving" in v.name]
    init = tf1.global_variables_initializer()

with tf1.Session(graph=graph) as sess:
    sess.run(init)
    for step in range(30):
        value, _ = sess.run([loss, train_op], {x: data, y: wanted, is_training: True})
    print("training loss", value, "test loss", sess.run(loss, {x: data, y: wanted}))
    print([(v.name, sess.run(v)) for v in averages])
