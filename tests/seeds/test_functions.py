"""Functions traced into graphs: what runs once, what runs each time, where variables may be made."""

from __future__ import annotations

import numpy as np
import pytest

import tapeviz as tf

ROWS = [[10, 10], [11.0, 1.0]]
UNIT = [[1.0, 0.0], [0.0, 1.0]]
SUM = np.array([[22.0, 22.0], [23.0, 13.0]], np.float32)
SYMBOLIC = 'while tracing: Tensor("add:0", shape=(2, 2), dtype=float32)'
ROWS_PRINTED = "while running: [[22 22]\n [23 13]]"


def shifted(bias):
    total = tf.matmul(tf.constant(ROWS), tf.constant(UNIT)) + bias
    print("while tracing:", total)
    tf.print("while running:", total)
    return total


def lines(capsys):
    """Return what was printed since, by Python and by tf.print."""
    printed = capsys.readouterr()
    return printed.out.strip(), printed.err.strip()


def test_eagerly_both_prints_happen_at_each_call(capsys):
    bias = tf.Variable(12.0)
    for _ in range(2):
        assert np.array_equal(shifted(bias).numpy(), SUM)
        out, err = lines(capsys)
        assert out.startswith("while tracing: tf.Tensor(\n[[22. 22.]")
        assert err == ROWS_PRINTED


def test_python_prints_once_and_tf_print_each_time(capsys):
    traced, bias = tf.function(shifted), tf.Variable(12.0)
    assert np.array_equal(traced(bias).numpy(), SUM)
    assert lines(capsys) == (SYMBOLIC, ROWS_PRINTED)
    assert np.array_equal(traced(bias).numpy(), SUM)
    assert lines(capsys) == ("", ROWS_PRINTED)


def test_the_python_function_is_kept():
    assert tf.function(shifted).python_function is shifted


def test_a_variable_made_at_each_call_is_refused(capsys):
    @tf.function
    def careless():
        return shifted(tf.Variable(12.0))

    with pytest.raises(ValueError, match="tried to create variables on non-first call"):
        careless()
    assert SYMBOLIC in lines(capsys)[0]
    assert np.array_equal(careless.python_function().numpy(), SUM)


class Keeper:
    """Makes its variable at the first call and keeps it."""

    def __init__(self):
        self.bias = None

    @tf.function
    def __call__(self):
        if self.bias is None:
            self.bias = tf.Variable(12.0)
        return shifted(self.bias)


def test_a_variable_may_be_made_once_and_kept(capsys):
    keeper = Keeper()
    assert np.array_equal(keeper().numpy(), SUM)
    out, err = lines(capsys)
    assert out.splitlines() == [SYMBOLIC, SYMBOLIC]  # traced once more, to see that no second variable is made
    assert err == ROWS_PRINTED
    keeper.bias.assign(0.0)
    assert np.array_equal(keeper().numpy(), SUM - 12)
    assert lines(capsys)[0] == ""


def test_a_variable_given_is_counted_up_outside_as_well():
    counter = tf.Variable(0)

    @tf.function
    def up(number):
        number.assign_add(1)
        return number

    assert [int(up(counter)) for _ in range(3)] == [1, 2, 3]
    assert counter.numpy() == 3


def test_what_a_function_returns_is_a_tensor():
    @tf.function
    def same(number):
        return number

    given = same(tf.Variable(1.5))
    assert isinstance(given, tf.Tensor)
    assert not isinstance(given, tf.Variable)


def test_each_signature_is_traced_once(capsys):
    @tf.function
    def doubled(x):
        print("traced for", x.dtype.name, x.shape)
        return x + x

    for values in (1, 2, 1.5, [1.0, 2.0], [3.0, 4.0], 7):
        doubled(tf.constant(values))
    assert lines(capsys)[0].splitlines() == [
        "traced for int32 ()", "traced for float32 ()", "traced for float32 (2,)",
    ]  # fmt: skip
    assert doubled.experimental_get_tracing_count() == 3


def test_python_numbers_are_part_of_the_signature():
    @tf.function
    def power(x, times):
        result = x
        for _ in range(times - 1):
            result = result * x
        return result

    assert [power(tf.constant(2.0), times).numpy() for times in (1, 2, 3, 2)] == [2.0, 4.0, 8.0, 4.0]
    assert power.experimental_get_tracing_count() == 3


def test_only_what_is_on_when_tracing_decides():
    """Within a function ops do not run at once, outside they do."""
    seen = []

    @tf.function
    def look(x):
        seen.append(tf.executing_eagerly())
        with tf.init_scope():
            seen.append(tf.executing_eagerly())
        return x

    look(tf.constant(1.0))
    assert seen == [False, True]
    assert tf.executing_eagerly()
