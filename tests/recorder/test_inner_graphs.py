"""What runs inside loops, branches and called functions of a graph is recorded as in an eager program."""

# ruff: noqa: SIM108

from collections import Counter
from contextlib import nullcontext

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.analysis.graph import NOT_REACHED, graph_of
from tapeviz.recording.schema import KINDS

OP = KINDS.index("op")

# What the bodies compute: other ops are those of loops themselves, such as the counting.
BODIES = {"tanh", "exp", "square", "sin", "cos", "softplus", "abs"}


def ops(tape, *, backward=False, failed=False):
    graph = graph_of(tape.recording)
    rows = tape.recording.events
    return [
        graph.op(row)
        for row in range(len(rows))
        if rows.kind[row] == OP and graph.is_backward(row) is backward and bool(rows.status[row]) is failed
    ]


def found(tape, *kinds):
    return [(one.kind, one.site.text) for one in tape.verdicts() if not kinds or one.kind in kinds]


def loop(x, w):
    h = x
    for _ in tf.range(3):
        h = tf.tanh(h * w) + x
    return tf.reduce_sum(h)


def branch(x, w):
    if tf.reduce_sum(x) > 0:
        h = tf.exp(x) * w
    else:
        h = tf.square(x)
    return tf.reduce_sum(h)


def nested(x, w):
    h = x
    for i in tf.range(4):
        if i % 2 == 0:
            h = tf.sin(h) * w
        else:
            h = tf.cos(h)
    return tf.reduce_sum(h)


def elements(x, w):
    return tf.reduce_sum(tf.map_fn(lambda one: tf.exp(one) * w[0], x))


def until(x, w):
    h = x
    while tf.reduce_sum(h) < 40.0:
        h = h * 1.5 + tf.abs(w)
    return tf.reduce_sum(h)


@tf.function
def inner(x, w):
    return tf.nn.softplus(x * w)


def calling(x, w):
    return tf.reduce_sum(inner(inner(x, w), w))


PROGRAMS = [loop, branch, nested, elements, until, calling]


def run(program, *, recorded=True):
    x, w = tf.constant([1.0, 2.0, 0.5]), tf.Variable([0.5, -0.25, 2.0], name="w")
    traced = tf.function(program)
    with tf.record() if recorded else nullcontext() as tape:
        with tf.GradientTape() as watching:
            loss = traced(x, w)
        gradient = watching.gradient(loss, w)
    return tape, np.array(loss), np.array(gradient)


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_ops_of_the_eager_program_are_there(program):
    tape, loss, gradient = run(program)
    tf.config.run_functions_eagerly(True)
    try:
        eager, value, gradient_of_value = run(program)
    finally:
        tf.config.run_functions_eagerly(False)
    np.testing.assert_allclose(loss, value, rtol=1e-6)
    np.testing.assert_allclose(gradient, gradient_of_value, rtol=1e-6)
    wanted, seen = Counter(ops(eager)), Counter(ops(tape))
    assert {op: count for op, count in seen.items() if op in BODIES} == {
        op: count for op, count in wanted.items() if op in BODIES
    }
    assert BODIES & set(seen)


@pytest.mark.parametrize("program", PROGRAMS)
def test_recording_changes_no_bit(program):
    _, loss, gradient = run(program)
    _, without, gradient_without = run(program, recorded=False)
    assert loss.tobytes() == without.tobytes()
    assert gradient.tobytes() == gradient_without.tobytes()


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_loss_comes_from_the_ops_inside(program):
    tape, _, _ = run(program)
    graph = graph_of(tape.recording)
    events = range(len(tape.recording.events))
    loss = max(row for row in events if graph.op(row) == "reduce_sum" and not graph.is_backward(row))
    previous = graph.ancestors(graph.outputs[loss][0], assigned=False)
    makers = {int(graph.links.producer[row]) for row, before in enumerate(previous) if before != NOT_REACHED}
    assert {graph.op(event) for event in makers if event >= 0} & BODIES == set(ops(tape)) & BODIES != set()


def test_a_nan_is_named_where_it_is_made():
    @tf.function
    def smallest(x):
        for _ in tf.range(4):
            x = x - 1.0
            y = tf.math.log(x)
        return y

    with tf.record() as tape:
        smallest(tf.constant(2.5))
    assert found(tape) == [("nonfinite", "y = tf.math.log(x)")]


@pytest.mark.parametrize(("positive", "line"), [(True, "y = tf.sqrt(-x)"), (False, "y = tf.math.log(x - 9.0)")])
def test_a_nan_of_a_branch_is_named_where_it_is_made(positive, line):
    @tf.function
    def either(x):
        if x > 0:
            y = tf.sqrt(-x)
        else:
            y = tf.math.log(x - 9.0)
        return y

    with tf.record() as tape:
        either(tf.constant(1.0 if positive else -1.0))
    assert found(tape) == [("nonfinite", line)]


def test_a_nan_of_a_called_function_is_named_where_it_is_made():
    @tf.function
    def called(x):
        return tf.math.log(x - 9.0)

    @tf.function
    def calls(x):
        return tf.reduce_sum(called(x) * 2.0)

    with tf.record() as tape:
        calls(tf.constant([1.0, 2.0]))
    assert found(tape) == [("nonfinite", "return tf.math.log(x - 9.0)")]
    assert "called: 1 trace, 1 run" in str(tape)


def test_what_cuts_a_gradient_off_in_a_loop_is_named():
    v, w = tf.Variable([1.0, 2.0], name="v"), tf.Variable([1.0, 2.0], name="w")

    @tf.function
    def loss_of(x):
        h = x
        for _ in tf.range(3):
            h = h * tf.stop_gradient(w)
        return tf.reduce_sum(h * v)

    with tf.record() as tape:
        with tf.GradientTape() as watching:
            loss = loss_of(tf.constant([2.5, 3.0]))
        assert watching.gradient(loss, [w, v])[0] is None
    assert found(tape) == [("gradient_none", "h = h * tf.stop_gradient(w)")]


def test_a_training_loop_in_a_graph_has_its_backward_passes():
    w, optimizer = tf.Variable([1.0, 2.0], name="w"), tf.keras.optimizers.SGD(0.1)

    @tf.function
    def train():
        loss = tf.constant(0.0)
        for _ in tf.range(5):
            with tf.GradientTape() as watching:
                loss = tf.reduce_sum(tf.square(w - 3.0))
            optimizer.apply_gradients([(watching.gradient(loss, w), w)])
        return loss

    with tf.record() as tape:
        train()
    assert ops(tape, backward=True).count("square") == 5
    assert len(tape.recording.requests) == 5
    assert tape.verdicts() == []


def test_an_error_inside_is_told_of_once():
    @tf.function
    def fails(x):
        for i in tf.range(3):
            x = x + tf.gather(x, i)
        return x

    with pytest.raises(tf.errors.OpError), tf.record() as tape:
        fails(tf.constant([1.0, 2.0]))
    assert ops(tape, failed=True) == ["gather"]


def test_a_stop_holds_inside():
    @tf.function
    def smallest(x):
        for _ in tf.range(9):
            x = x - 1.0
            y = tf.sqrt(x)
        return y

    with tf.record(stop="nan") as tape:
        smallest(tf.constant(2.5))
    assert ops(tape).count("sqrt") == 3


def test_of_a_long_loop_the_first_iterations_are_told_of():
    @tf.function
    def count(x):
        for _ in tf.range(900):
            x = tf.sin(x) + 1.0
        return x

    with tf.record() as tape:
        value = count(tf.constant(1.0))
    assert float(value) == float(count(tf.constant(1.0)))
    assert 0 < ops(tape).count("sin") < 900
    assert tape.verdicts().unseen == (
        "what ran inside loops, branches and called functions: the runs after the first 1,000, at once",
    )


def test_a_nan_goes_through_a_list():
    @tf.function
    def logs(x):
        found = tf.TensorArray(tf.float32, size=3)
        for i in tf.range(3):
            found = found.write(i, tf.math.log(x[i]))
        return found.stack()

    with tf.record() as tape:
        logs(tf.constant([1.0, -2.0, 3.0]))
    assert found(tape) == [("nonfinite", "found = found.write(i, tf.math.log(x[i]))")]
