"""The smallest program that still fails."""

from __future__ import annotations

import re

import numpy as np
import pytest

import tapeviz as tf
from tests.verdicts.programs import BUGS, programs, run

DATA = np.random.default_rng(0).normal(size=(32, 10)).astype("f4")
SECRET = 7.25


def masked():
    x = tf.constant(DATA)
    with tf.GradientTape() as g:
        g.watch(x)
        loss = tf.reduce_mean(tf.where(x > 0, tf.math.log(x), 0.0))
    return g.gradient(loss, x)


def distance_to_itself():
    x = tf.constant(DATA)
    with tf.GradientTape() as g:
        g.watch(x)
        loss = tf.reduce_mean(tf.sqrt(tf.reduce_sum((x - x) ** 2, 1)))
    return g.gradient(loss, x)


def root_of_zero():
    x = tf.constant([0.0, 2.0])
    with tf.GradientTape() as g:
        g.watch(x)
        y = tf.reduce_sum(x**0.5)
    return g.gradient(y, x)


NONFINITE = {
    "log": (lambda: tf.reduce_mean(tf.math.log(tf.nn.relu(DATA))), "tf.math.log(x)", 3),
    "a mask": (masked, "tf.math.log(x)", 3),
    "a root": (distance_to_itself, "    result = tf.sqrt(x)", 6),
    "a power": (root_of_zero, "    result = x ** y", 7),
    "a quotient": (lambda: tf.constant(DATA) / tf.zeros(10), "tf.divide(x, y)", 4),
    "an overflow": (lambda: tf.exp(DATA * 1000.0), "tf.exp(x)", 3),
}

ERRORS = {
    "sizes": (lambda: tf.matmul(DATA, DATA), "x @ y", tf.errors.InvalidArgumentError),
    "shapes": (lambda: tf.constant(DATA) + tf.zeros(7), "x + y", tf.errors.InvalidArgumentError),
    "an axis": (lambda: tf.reduce_sum(DATA, axis=5), "tf.reduce_sum(x, axis=5)", tf.errors.InvalidArgumentError),
    "parts": (lambda: tf.concat([DATA, DATA[:, :3]], 0), "tf.concat([x, y], axis=0)", tf.errors.InvalidArgumentError),
    "channels": (
        lambda: tf.nn.conv2d(tf.zeros([1, 8, 8, 3]), tf.zeros([3, 3, 4, 8]), 1, "SAME"),
        "tf.nn.conv2d(x, y,", tf.errors.InvalidArgumentError,
    ),
    "an index": (lambda: tf.gather(DATA, [3, 40]), "tf.gather(x, y", tf.errors.InvalidArgumentError),
}  # fmt: skip


def words(error):
    return re.findall(r"[A-Za-z]{3,}", str(error).splitlines()[0])


@pytest.mark.parametrize("name", NONFINITE)
def test_of_what_is_not_finite(name):
    program, line, lines = NONFINITE[name]
    with tf.record() as tape:
        program()
    small = tape.shrink("nan")
    assert line in small.text
    assert len(small.text.splitlines()) == lines
    first = tape.nonfinite()[0]
    with tf.record() as again:
        exec(small.text, {})
    assert [(one.op, one.phase, one.kind) for one in again.nonfinite()] == [(first.op, first.phase, first.kind)]
    assert (small.op, small.phase) == (first.op, first.phase)


@pytest.mark.parametrize("name", ERRORS)
def test_of_an_error(name):
    program, line, error = ERRORS[name]
    with tf.record() as tape, pytest.raises(error) as raised:
        program()
    small = tape.shrink("error")
    assert line in small.text
    assert len(small.text.splitlines()) <= 5
    with pytest.raises(error) as again:
        exec(small.text, {})
    assert words(again.value) == words(raised.value)
    assert small.failure == error.__name__


def test_no_number_of_the_users_is_left():
    x = tf.constant(np.full((4, 5), SECRET), tf.float32)
    with tf.record() as tape:
        tf.math.log((x - SECRET) * tf.constant(0.0)) + tf.sqrt(x)
    assert tape.shrink("nan").text == "import tapeviz as tf\nx = tf.constant(0.0)\nprint(tf.math.log(x))"


@pytest.mark.slow
@pytest.mark.parametrize("program", [one for one in programs(BUGS) if one.kind == "nan"], ids=lambda one: one.name)
def test_of_reported_programs(program):
    tape = run(program)[0]
    small = tape.shrink("nan")
    assert len(small.text.splitlines()) <= 8
    with tf.record() as again:
        exec(small.text, {})
    causes = {(one.op, one.phase, one.kind) for one in tape.nonfinite()}
    assert {(one.op, one.phase, one.kind) for one in again.nonfinite()} & causes


def test_what_did_not_happen_is_said():
    with tf.record() as tape:
        tf.constant(1.0) + 1.0
    with pytest.raises(LookupError, match="no op of this recording made NaN or infinity"):
        tape.shrink("nan")
    with pytest.raises(LookupError, match="no op of this recording failed"):
        tape.shrink("error")
    with pytest.raises(ValueError, match="failure='slow': choose nan, error or a kind of finding"):
        tape.shrink("slow")


def test_it_is_seen_by_nobody():
    with tf.record() as tape:
        tf.math.log(tf.zeros(3))
    with tf.record() as outer, tf.GradientTape() as g:
        tape.shrink("nan")
        w = tf.Variable(1.0)
        y = w * 2.0
    assert {outer.ops.name[row] for row in outer.events.op if row >= 0} == {"assign", "multiply"}
    assert float(g.gradient(y, w)) == 2.0


def test_an_op_that_keeps_an_infinity_and_makes_nan_of_another():
    score = tf.constant([[1.0, -2.0, 4.0], [3.0, 4.0, 5.0]])
    mask = np.array([[True, True, False], [False, False, False]])
    with tf.record() as tape:
        masked = tf.where(mask, score, -np.inf)
        shifted = masked - tf.reduce_max(masked, axis=-1, keepdims=True)
        str(tf.exp(shifted) / 2.0)
    assert tape.shrink().text.splitlines()[1:] == [
        'x = tf.constant(-float("inf"))', 'y = tf.constant(-float("inf"))', "print(x - y)",
    ]  # fmt: skip


@pytest.mark.parametrize("shape", [(4, 4), (3, 5), (2, 4, 4)])
def test_one_element_stays_wherever_it_was_and_no_signs_of_the_users(shape):
    for at in np.ndindex(*shape):
        array = np.full(shape, -3.5, "f2")
        array[at] = -300.0
        with tf.record() as tape:
            tf.square(tf.constant(array))
        assert tape.shrink().text.splitlines()[1] == "x = tf.constant(1000.0, tf.float16)"


def test_numbers_have_the_digits_of_their_dtype():
    with tf.record() as tape:
        tf.pow(tf.constant([2.0, -1.5]), 0.4545)
    assert "y = tf.constant(0.1)" in tape.shrink().text


def test_a_sum_of_products():
    with tf.record(keep_going=True) as tape:
        tf.einsum("bqd,bkd->bqk", tf.ones([2, 3, 8]), tf.ones([2, 3, 5]))
    assert tape.shrink("error").text.splitlines()[-1] == "print(tf.einsum('bqd,bkd->bqk', x, y))"
