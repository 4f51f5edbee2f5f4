"""The attention of the factorization machine weighs all pairs of features alike.

The sum keeps its axis, and the softmax then normalizes that axis of length one.

Kind: softmax
Source: https://github.com/hexiangnan/attentional_factorization_machine/issues/19
"""

import numpy as np

import tapeviz as tf

tf1 = tf.compat.v1
rng = np.random.RandomState(5)
FIELDS, FACTORS = 4, 5
ids = rng.randint(0, 20, (40, FIELDS))
target = (ids[:, 0] % 2 * ids[:, 1] / 10.0).astype("float32")[:, None]

graph = tf.Graph()
with graph.as_default():
    tf1.set_random_seed(6)
    features = tf1.placeholder(tf.int32, [None, FIELDS])
    labels = tf1.placeholder(tf.float32, [None, 1])
    table = tf1.get_variable("table", [20, FACTORS], initializer=tf1.random_normal_initializer(0, 0.5, seed=1))
    attention_w = tf1.get_variable("w", [FACTORS, 6], initializer=tf1.random_normal_initializer(0, 0.5, seed=2))
    attention_b = tf1.get_variable("b", [6], initializer=tf1.zeros_initializer())
    attention_p = tf1.get_variable("p", [6], initializer=tf1.random_normal_initializer(0, 0.5, seed=3))
    last = tf1.get_variable("last", [FACTORS, 1], initializer=tf1.random_normal_initializer(0, 0.5, seed=4))

    embedded = tf.nn.embedding_lookup(table, features)
    pairs = tf.stack([embedded[:, i] * embedded[:, j] for i in range(FIELDS) for j in range(i + 1, FIELDS)], axis=1)
    scores = tf.tensordot(pairs, attention_w, axes=1) + attention_b
    scores = tf.reduce_sum(attention_p * tf.nn.relu(scores), axis=2, keepdims=True)
    weights = tf.nn.softmax(scores)  # fault
    pooled = tf.reduce_sum(weights * pairs, axis=1)
    out = tf.matmul(pooled, last)
    loss = tf.reduce_mean(tf.square(out - labels))
    train = tf1.train.AdagradOptimizer(0.1).minimize(loss)
    init = tf1.global_variables_initializer()

with tf1.Session(graph=graph) as sess:
    sess.run(init)
    for epoch in range(10):
        value, attention, _ = sess.run([loss, weights, train], {features: ids, labels: target})
    print("loss", value, "attention of the first row", attention[0].ravel())
