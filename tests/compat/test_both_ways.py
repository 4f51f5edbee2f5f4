"""One program written for TensorFlow 1, run twice: as a graph in a session, and eagerly. The numbers are the same."""

import json

import pytest

PROGRAM = '''
import json
import sys

import numpy as np
import tapeviz.compat.v1 as tf

if {eager}:
    tf.enable_eager_execution()

rng = np.random.default_rng(7)
points = rng.normal(size=(64, 3)).astype(np.float32)
labels = (points.sum(1, keepdims=True) > 0).astype(np.float32)


class Net:
    """Two layers."""

    def __init__(self):
        start = np.random.default_rng(8)
        with tf.variable_scope("net"):
            self.w1 = tf.get_variable("w1", initializer=start.normal(size=(3, 8)).astype(np.float32))
            self.b1 = tf.get_variable("b1", [8], initializer=tf.zeros_initializer())
            self.w2 = tf.get_variable("w2", initializer=start.normal(size=(8, 1)).astype(np.float32))
        self.variables = [self.w1, self.b1, self.w2]

    def logits(self, x):
        hidden = tf.nn.relu(tf.matmul(x, self.w1) + self.b1)
        return tf.matmul(hidden, self.w2)

    def loss(self, x, y):
        return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=self.logits(x)))


net = Net()
optimizer = tf.train.GradientDescentOptimizer(0.5)
saver = tf.train.Saver(net.variables)
losses = []
if {eager}:
    if {restored!r}:
        saver.restore(None, {restored!r})
    for _ in range({steps}):
        losses.append(float(net.loss(points, labels)))
        optimizer.minimize(lambda: net.loss(points, labels))
    odds = tf.sigmoid(net.logits(points)).numpy()
    saver.save(None, {saved!r})
else:
    x, y = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None, 1])
    loss = net.loss(x, y)
    step = optimizer.minimize(loss)
    chance = tf.sigmoid(net.logits(x))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        if {restored!r}:
            saver.restore(session, {restored!r})
        for _ in range({steps}):
            losses.append(float(session.run([loss, step], {{x: points, y: labels}})[0]))
        odds = session.run(chance, {{x: points}})
        saver.save(session, {saved!r})
print(json.dumps([losses, odds.ravel().tolist()]))
'''


def test_the_same_numbers_and_each_others_files(program, tmp_path):
    def ran(*, eager, saved, restored="", steps=20):
        paths = {"saved": str(tmp_path / saved), "restored": str(tmp_path / restored) if restored else ""}
        return json.loads(program(PROGRAM.format(eager=eager, steps=steps, **paths)))

    as_graph, eagerly = ran(eager=False, saved="graph"), ran(eager=True, saved="eager")
    assert as_graph[0] == pytest.approx(eagerly[0], rel=1e-5)
    assert as_graph[1] == pytest.approx(eagerly[1], rel=1e-4)
    assert as_graph[0][-1] < 0.5 * as_graph[0][0]
    as_graph = ran(eager=False, saved="graph_on", restored="eager", steps=5)
    eagerly = ran(eager=True, saved="eager_on", restored="graph", steps=5)
    assert as_graph[0] == pytest.approx(eagerly[0], rel=1e-5)
    assert as_graph[1] == pytest.approx(eagerly[1], rel=1e-4)
    assert as_graph[0][0] < 0.5 * 0.693


def test_a_loop_over_tensors_in_both(program):
    text = """
import tapeviz.compat.v1 as tf
if {eager}:
    tf.enable_eager_execution()
start = tf.constant(12)
steps, _ = tf.while_loop(
    lambda count, n: tf.greater(n, 1),
    lambda count, n: (count + 1, tf.cond(tf.equal(n % 2, 0), lambda: n // 2, lambda: 3 * n + 1)),
    [tf.constant(0), start],
)
squares = tf.map_fn(lambda n: n * n, tf.range(5))
if {eager}:
    print(int(steps), squares.numpy())
else:
    with tf.Session() as session:
        print(*session.run([steps, squares]))
"""
    assert program(text.format(eager=True)) == program(text.format(eager=False)) == "9 [ 0  1  4  9 16]\n"
