"""Traced graphs in a recording: what they are, and their runs, as one step or node by node."""

import json

import numpy as np
import pytest

import tapeviz as tf


def recorded(values, *, traced_before=False):
    w = tf.Variable(np.full((3, 4), 0.1, np.float32), name="w")
    b = tf.Variable(np.zeros(4, np.float32), name="b")

    @tf.function
    def model(x):
        h = tf.tanh(x @ w + b)
        return tf.reduce_sum(h * h)

    x = tf.ones([2, 3])
    if traced_before:
        model(x)
    with tf.record(values=values) as tape:
        with tf.GradientTape() as inner:
            loss = model(x)
        gradients = inner.gradient(loss, [w, b])
    with tf.GradientTape() as outside:
        again = model(x)
    return tape, loss, gradients, again, outside.gradient(again, [w, b])


def table(tape, name):
    return tape.recording.table(name)


@pytest.mark.parametrize("traced_before", [False, True])
@pytest.mark.parametrize("values", ["none", "stats", "all"])
def test_recording_changes_nothing(values, traced_before):
    _, loss, gradients, again, without = recorded(values, traced_before=traced_before)
    assert loss.numpy() == again.numpy()
    for one, other in zip(gradients, without, strict=True):
        assert np.array_equal(one.numpy(), other.numpy())


@pytest.mark.parametrize("values", ["none", "stats"])
def test_the_graph_is_part_of_the_recording(values):
    tape = recorded(values)[0]
    graphs, nodes, edges = (table(tape, name) for name in ("graphs", "nodes", "node_edges"))
    assert next(iter(graphs.cells("name"))) == "model"
    assert json.loads(graphs.cells("key")[0]) == [["x", "tensor (2, 3) float32"]]
    assert graphs.cells("reason")[0] == "the first call"
    assert graphs.cells("tracing")[0] > 0
    names = list(nodes.cells("name"))
    assert names == [
        "x", "w/Read/ReadVariableOp", "MatMul", "b/Read/ReadVariableOp", "add", "Tanh", "mul", "Sum",
    ]  # fmt: skip
    lines = [tape.sites.text[site].strip() for site in nodes.cells("site")]
    assert lines[2] == lines[5] == "h = tf.tanh(x @ w + b)"
    matmul = [
        (source, position)
        for source, target, position in zip(*(edges.cells(c) for c in ("source", "target", "position")), strict=True)
        if target == 2
    ]
    assert matmul == [(0, 0), (1, 1)]


def test_one_step_when_no_contents_are_kept():
    tape = recorded("none")[0]
    events = table(tape, "events")
    ops = [table(tape, "ops").cells("name")[op] for op in events.cells("op") if op >= 0]
    assert ops == ["call", "call"]
    assert list(table(tape, "graph_runs").cells("pruned")) == [0]
    assert len(table(tape, "node_runs")) == 0


def test_node_by_node_it_reads_like_an_eager_run():
    tape = recorded("stats")[0]
    events = table(tape, "events")
    names = [table(tape, "ops").cells("name")[op] for op in events.cells("op") if op >= 0]
    assert names == [
        "matmul",
        "add",
        "tanh",
        "multiply",
        "reduce_sum",
        "reduce_sum",
        "multiply",
        "tanh",
        "add",
        "matmul",
    ]
    runs = table(tape, "node_runs")
    assert list(runs.cells("node")) == [2, 4, 5, 6, 7]
    origins = [events.cells("op")[origin] for origin in events.cells("origin") if origin >= 0]
    assert [table(tape, "ops").cells("name")[op] for op in origins] == names[5:]
    assert "h" in list(table(tape, "names").cells("name"))


def test_a_failing_node_is_the_last_event_and_names_the_line():
    @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([None])])
    def summed(x, y):
        return x + y

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?s)return x \+ y"), tf.record() as tape:
        summed(tf.ones([2]), tf.ones([3]))
    events = table(tape, "events")
    assert list(events.cells("status"))[-1] == 1
    assert len(table(tape, "messages")) == 1


def test_check_numerics_finds_the_node():
    @tf.function
    def roots(x):
        return tf.math.log(x) * 0.0

    tf.debugging.enable_check_numerics()
    try:
        with pytest.raises(tf.errors.InvalidArgumentError, match="Log"):
            roots(tf.constant([0.0, 1.0]))
    finally:
        tf.debugging.disable_check_numerics()


def test_the_recorder_packs_whatever_numbers_it_meets():
    # Two numbers an op, so that half of all numbers are never those of an op's output.
    x = tf.Variable(1.0)
    with tf.record(values="none", max_ops=4096) as tape:
        for _ in range(12_000):
            x.assign(x * 1.0)
    assert tape.recording.meta_dict()["truncated"]["ops"] < 12_000
