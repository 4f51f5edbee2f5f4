"""Stopping where a filter holds: the same op that the filter finds first, and the user's frame."""

import sys

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.analysis.query.grammar import FilterError
from tapeviz.recorder.stops import Stopped

X = tf.constant([1.0, 0.0, 2.0])
W = tf.Variable([1.0, 2.0, 3.0], name="w")


def forward_and_back():
    with tf.GradientTape() as tape:
        h = tf.exp(W * 3.0)
        with tf.name_scope("inner"):
            z = tf.math.log(X) + h
        loss = tf.reduce_sum(tf.where(X > 0.0, z, 0.0) * tf.cast(2, tf.float32))
    return tape.gradient(loss, W)


@tf.function
def traced():
    return forward_and_back()


def layers():
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential([tf.keras.layers.Dense(3, name="first"), tf.keras.layers.Dense(1, name="last")])
    model.compile("sgd", "mse")
    model.fit(np.ones((4, 2), "f4"), np.full((4, 1), 50.0, "f4"), verbose=0)


ASKED = [
    "op:log", "nan", "nan -op:log", "phase:backward", "phase:backward op:exp", "shape:[]", "op:reduce_*", "op:exp|log",
    "-op:multiply", "dtype:bool",
]  # fmt: skip


@pytest.mark.parametrize("program", [forward_and_back, traced], ids=["eager", "traced"])
@pytest.mark.parametrize("asked", ASKED)
def test_it_is_the_op_that_the_filter_finds_first(asked, program):
    program()
    with tf.record() as whole:
        program()
    rows = whole.recording.events
    wanted = [row for row in range(len(rows)) if rows.id[row] in whole.query(asked).events and rows.op[row] >= 0]
    block = tf.record(stop=asked)
    with block as tape:
        program()
        pytest.fail("it went on")
    assert block.stopped.moment.op == whole.recording.ops.name[rows.op[wanted[0]]]
    assert block.stopped.moment.phase == ("forward", "backward")[rows.phase[wanted[0]]]
    ran = tape.recording.events
    assert (ran.op >= 0).sum() == (rows.op[: wanted[0] + 1] >= 0).sum()
    assert tape.recording.meta_dict()["stopped"]["type"] == "Stopped"


@pytest.mark.parametrize("values", ["none", "stats", "inputs", "all"])
def test_it_needs_no_statistics(values):
    block = tf.record(stop="|g|>100", values=values)
    with block:
        traced()
    assert (block.stopped.moment.op, block.stopped.moment.phase) == ("exp", "backward")


def test_the_scope_around_an_op_is_asked_for():
    for asked in ("module:inner", "inner"):
        block = tf.record(stop=asked)
        with block:
            forward_and_back()
        assert (block.stopped.moment.op, block.stopped.moment.modules) == ("log", ("inner",))


def test_a_gradient_is_asked_after_each_step():
    def program():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.exp(W * 3.0) * 2.0)
        return tape.gradient(loss, W)

    block = tf.record(stop="|g|>100")
    with block:
        program()
    assert (block.stopped.moment.op, block.stopped.moment.phase) == ("exp", "backward")


def test_inside_fit_it_is_the_layers_op():
    block = tf.record(stop="module:last op:matmul")
    with block as tape:
        layers()
    assert block.stopped.moment.modules[0] == "last"
    assert str(tape)


def test_nothing_that_holds_stops_nothing():
    block = tf.record(stop="op:cosh")
    with block:
        gradient = forward_and_back()
    assert block.stopped is None
    assert gradient is not None


@pytest.mark.parametrize(
    ("asked", "said"),
    [("", "says at which op to stop"), ("name:w", "cannot be asked while the program runs"),
     ("wrt:w", "known at its end"), ("opp:log", "did you mean 'op'"), ("|g|", "is compared")],
)  # fmt: skip
def test_what_cannot_be_asked_is_said_before_anything_runs(asked, said):
    with pytest.raises(FilterError, match=said):
        tf.record(stop=asked)


def test_an_except_of_the_users_does_not_hold_it():
    def careful():
        try:
            return forward_and_back()
        except Exception:  # noqa: BLE001
            return None

    block = tf.record(stop="op:log")
    with block:
        careful()
        pytest.fail("it went on")
    assert isinstance(block.stopped, Stopped)


def test_the_debugger_opens_in_the_users_frame():
    with tf.record(stop="op:log"):
        forward_and_back()
    trace = sys.last_traceback
    while trace.tb_next is not None:
        trace = trace.tb_next
    assert trace.tb_frame.f_code is forward_and_back.__code__
    assert trace.tb_frame.f_locals["h"].shape == (3,)


def test_what_runs_next_is_as_ever():
    with tf.record(stop="phase:backward"):
        forward_and_back()
    with tf.record() as tape:
        gradient = forward_and_back()
    assert np.isfinite(gradient.numpy()).all()
    assert "stopped" not in tape.recording.meta_dict()


@tf.function
def loop(x):
    for _ in tf.range(3):
        x = tf.exp(x)
    return x


@pytest.mark.parametrize("asked", ["nan", "|g|>1e30"])
def test_a_loop_of_a_graph_whose_backward_pass_needs_a_list_is_asked(asked):
    w = tf.Variable(1.6)
    with tf.record(stop=asked) as tape:
        with tf.GradientTape() as g:
            y = loop(w)
        g.gradient(y, w)
    assert len(tape.events) > 3


@pytest.mark.parametrize(
    ("text", "said"),
    [("op:matmull", "did you mean 'matmul'"), ("op:relu,tanhh", "'tanh'"), ("line:0", "counted from 1")],
)
def test_what_would_never_hold_is_said_at_once(text, said):
    with pytest.raises(FilterError, match=said):
        tf.record(stop=text)


@pytest.mark.parametrize("text", ["op:MatMul", "op:mat*", "op:while", "op:cond", "op:my_own", "line:0-3", "-op:matmul"])
def test_what_may_hold_is_taken(text):
    tf.record(stop=text)
