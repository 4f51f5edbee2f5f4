"""A selection as a cell that runs."""

from __future__ import annotations

import contextlib
import io

import numpy as np
import pytest

import tapeviz as tf
from tests.verdicts.programs import BUGS, programs, run

DATA = np.random.default_rng(0).normal(size=(2, 4)).astype("f4")
EAGER = [program for program in programs(BUGS) if not program.name.endswith("_v1")]  # sizes of a session's are not kept


def network(x, w):
    hidden = tf.nn.relu(x @ w)
    return tf.reduce_sum(tf.nn.softmax(hidden[:, 1:], axis=-1) ** 2)


def taped(function):
    w = tf.Variable(tf.ones((4, 2)), name="w")
    x = tf.constant(DATA)
    with tf.record() as tape:
        with tf.GradientTape() as g:
            loss = function(x, w)
        gradient = g.gradient(loss, w)
    return tape, loss, gradient


def ran(text):
    namespace = {}
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(text, "<cell>", "exec"), namespace)
    return namespace, out.getvalue()


@pytest.mark.parametrize("function", [network, tf.function(network)], ids=["eager", "traced"])
def test_gives_the_numbers_of_the_program(function):
    tape, loss, _ = taped(function)
    found, _ = ran(tape.as_python("phase:forward"))
    assert found["loss"].numpy() == loss.numpy()


def test_backward_steps_ask_for_the_gradients():
    tape, _, gradient = taped(network)
    text = tape.as_python()
    call = next(line for line in text.splitlines() if line.startswith("print(tape.gradient("))
    found, _ = ran(text.replace(call, f"found = {call[len('print(') : -1]}"))
    names = call.partition(", [")[2].rstrip("])").split(", ")
    np.testing.assert_array_equal(found["found"][names.index("w")].numpy(), gradient.numpy())


def test_large_inputs_are_drawn_and_never_shown():
    big = tf.constant(np.full((30, 3), 7.25, "f4"))
    index = tf.constant(np.full(20, 29, "i4"))
    with tf.record() as tape:
        tf.gather(tf.exp(big), index)
    text = tape.as_python()
    assert "7.25" not in text
    assert "tf.random.stateless_normal([30, 3], seed=[0, 0], dtype=tf.float32)" in text
    assert "tf.zeros([20], tf.int32)" in text
    ran(text)


def test_what_has_no_call_is_an_input():
    with tf.record() as tape:
        a, b = tf.split(tf.constant([1.0, 2.0]), 2)
        c = a * b
    found, _ = ran(tape.as_python())
    assert found["c"].numpy() == c.numpy()
    assert "# split has no call with" in tape.as_python()


def test_nothing_selected_is_said():
    tape, _, _ = taped(network)
    with pytest.raises(LookupError, match="no op is selected"):
        tape.as_python("op:cosh")


@pytest.mark.parametrize("program", EAGER[::9], ids=lambda one: one.name)
def test_cells_of_programs_run(program):
    tape = run(program)[0]
    ran(tape.as_python("phase:forward"))
