"""The name that a tensor is stored under is read from the instructions behind the call, on every version of Python."""

from types import SimpleNamespace

import pytest

import tapeviz as tf

x = tf.constant([1.0, 2.0, 3.0, 4.0])
holder = SimpleNamespace(inner=SimpleNamespace())


def one():
    a = x + 1.0
    return [a]


def two_in_a_row():
    a = x + 1.0
    b = a
    return a, b


def two_at_once():
    a, b = tf.split(x, 2)
    return a, b


def three_at_once():
    a, b, c = tf.unstack(x[:3])
    return a, b, c


def two_names():
    a = b = x + 1.0
    return a, b


def an_attribute():
    holder.w = x + 1.0


def an_attribute_of_a_local():
    here = holder
    here.w = x + 1.0


def an_attribute_of_an_attribute():
    holder.inner.w = x + 1.0


def an_expression():
    return [(a := x + 1.0), a]


def none():
    return tf.reduce_sum(x + 1.0)


CASES = [
    (one, ["a"]),
    (two_in_a_row, ["a"]),
    (two_at_once, ["a", "b"]),
    (three_at_once, ["a", "b", "c"]),
    (two_names, ["a"]),
    (an_attribute, ["w"]),
    (an_attribute_of_a_local, ["w"]),
    (an_attribute_of_an_attribute, ["w"]),
    (an_expression, ["a"]),
    (none, []),
]


@pytest.mark.parametrize(("function", "names"), CASES, ids=[function.__name__ for function, _ in CASES])
def test_a_tensor_has_the_name_it_is_stored_under(function, names):
    with tf.record() as tape:
        function()
    assert [name for name in tape.recording.names.name if name != "x"] == names  # x had its before
