"""The user's functions see the context variables around a call: by them a notebook knows whose output is printed."""

import contextvars

import numpy as np
import pytest

import tapeviz as tf

CELL = contextvars.ContextVar("cell", default="no cell")


def seen_by(program):
    """What a function that a program calls sees of the variable, once for each of more calls than are planned late."""
    seen = []

    def look(x):
        seen.append(CELL.get())
        return x

    call = program(look)
    for number in range(12):
        token = CELL.set(f"cell {number}")
        call()
        CELL.reset(token)
    return seen


def eagerly(look):
    return lambda: tf.py_function(look, [1.0], tf.float32)


def in_a_graph(look):
    function = tf.function(lambda x: tf.py_function(look, [x * 2.0], tf.float32) + 1.0)
    return lambda: function(tf.constant(1.0))


def in_a_loop(look):
    @tf.function
    def count(n):
        while n > 0:
            n = tf.ensure_shape(tf.py_function(look, [n - 1], tf.int32), [])
        return n

    return lambda: count(tf.constant(1))


def in_a_branch(look):
    @tf.function
    def choose(x):
        return tf.cond(x > 0.0, lambda: tf.numpy_function(look, [x], tf.float32), lambda: x)

    return lambda: choose(tf.constant(1.0))


def in_a_function_that_is_called(look):
    inner = tf.function(lambda x: tf.py_function(look, [x], tf.float32))
    outer = tf.function(lambda x: inner(x) + 1.0)
    return lambda: outer(tf.constant(1.0))


def by_an_observed_graph(look):
    call = in_a_loop(look)

    def run():
        with tf.record():
            call()

    return run


def by_a_gradient(look):
    @tf.custom_gradient
    def same(x):
        return tf.identity(x), look

    def run():
        x = tf.constant(1.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = same(x)
        tape.gradient(y, x)

    return run


PROGRAMS = [
    eagerly,
    in_a_graph,
    in_a_loop,
    in_a_branch,
    in_a_function_that_is_called,
    by_an_observed_graph,
    by_a_gradient,
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_function_of_the_user_sees_the_context_of_the_call(program):
    assert seen_by(program) == [f"cell {number}" for number in range(12)]


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_it_sets_is_there_after_the_call(program):
    call = program(lambda x: (CELL.set("set inside"), x)[1])
    token = CELL.set("outside")
    call()
    assert CELL.get() == "set inside"
    CELL.reset(token)


def test_numpys_warnings_of_the_graphs_own_ops_stay_off(recwarn):
    function = tf.function(lambda x: tf.py_function(lambda y: y, [tf.math.log(x)], tf.float32))
    for _ in range(12):
        assert function(tf.constant(0.0)).numpy() == -np.inf
    assert not [warning for warning in recwarn if issubclass(warning.category, RuntimeWarning)]
