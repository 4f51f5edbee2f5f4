"""The network of the announcement, written once and built twice: executed eagerly, and as a graph in a session."""

import json
import subprocess
import sys

import pytest

BOTH = '''
import json

import numpy as np
import tapeviz.compat.v1 as tf
import tapeviz.contrib.eager as tfe

if {eager}:
    tfe.enable_eager_execution()

draws = np.random.default_rng(0)
digits = draws.integers(0, 10, 256)
rows = (draws.random((10, 64))[digits] + draws.normal(size=(256, 64), scale=0.3)).astype(np.float32)
labels = np.eye(10, dtype=np.float32)[digits]
batches = [(rows[at:at + 32], labels[at:at + 32]) for at in range(0, 256, 32)]


class Reader(tfe.Network):
    """64 numbers, 20 in between, ten scores."""

    def __init__(self):
        super().__init__()
        self.inner = self.track_layer(tf.layers.Dense(units=20, activation=tf.nn.relu))
        self.outer = self.track_layer(tf.layers.Dense(units=10))

    def call(self, rows):
        return self.outer(self.inner(rows))


def loss_function(model, x, y):
    return tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=model(x)))


model = Reader()
optimizer = tf.train.GradientDescentOptimizer(learning_rate=0.5)
start = np.random.default_rng(1)
begin = [start.normal(size=shape, scale=0.2).astype(np.float32) for shape in ((64, 20), (20,), (20, 10), (10,))]
losses = []
if {eager}:
    assert model(tf.zeros([1, 64])).shape == (1, 10)
    for variable, value in zip(model.variables, begin):
        variable.assign(value)
    if {restored!r}:
        tfe.restore_network_checkpoint(model, {restored!r})
    for x, y in tfe.Iterator(batches):
        losses.append(float(loss_function(model, x, y)))
        slopes = tfe.implicit_gradients(loss_function)(model, x, y)
        optimizer.apply_gradients(slopes)
    names = [variable.name for variable in model.variables]
    tfe.save_network_checkpoint(model, {saved!r})
else:
    x, y = tf.placeholder(tf.float32, [None, 64]), tf.placeholder(tf.float32, [None, 10])
    loss = loss_function(model, x, y)
    step = optimizer.minimize(loss)
    with tf.Session() as session:
        session.run([variable.assign(value) for variable, value in zip(model.variables, begin)])
        if {restored!r}:
            tfe.restore_network_checkpoint(model, {restored!r})
        for one, two in batches:
            losses.append(float(session.run([loss, step], {{x: one, y: two}})[0]))
        tfe.save_network_checkpoint(model, {saved!r})
    names = [variable.name for variable in model.variables]
print(json.dumps([losses, names]))
'''


def run(text):
    done = subprocess.run([sys.executable, "-W", "error", "-c", text], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_same_code_eager_and_as_a_graph(tmp_path):
    def ran(*, eager, saved, restored=""):
        paths = {"saved": str(tmp_path / saved), "restored": str(tmp_path / restored) if restored else ""}
        return run(BOTH.format(eager=eager, **paths))

    (eagerly, names), (as_graph, likewise) = ran(eager=True, saved="e"), ran(eager=False, saved="g")
    assert names == likewise == [
        "reader/dense/kernel:0", "reader/dense/bias:0", "reader/dense_1/kernel:0", "reader/dense_1/bias:0"
    ]  # fmt: skip
    assert as_graph == pytest.approx(eagerly, rel=1e-4)
    assert eagerly[-1] < 0.9 * eagerly[0]
    # Each goes on from the other's file.
    (eagerly, _), (as_graph, _) = (
        ran(eager=True, saved="e2", restored="g"), ran(eager=False, saved="g2", restored="e")
    )  # fmt: skip
    assert as_graph == pytest.approx(eagerly, rel=1e-4)
