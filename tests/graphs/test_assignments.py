"""No gradient goes through an assignment, in a function as eagerly: what is read after it is the variable."""

from __future__ import annotations

import pytest

import tapeviz as tf

KEPT = tf.Variable(1.0)


def assigned_a_number(x):
    KEPT.assign(3.0)
    return KEPT * KEPT + x


def assigned_what_was_given(x):
    KEPT.assign(2 * x)
    return KEPT * KEPT


def assigned_what_it_was(x):
    KEPT.assign(2 * KEPT + x)
    return KEPT * KEPT


def assigned_between(x):
    first = KEPT * x
    KEPT.assign(5 * x)
    return first + KEPT * KEPT


def added_to(x):
    KEPT.assign_add(x)
    return KEPT * x


def carried_along(x):
    first = tf.tanh(x + KEPT)
    KEPT.assign(first)
    second = tf.tanh(x + KEPT)
    KEPT.assign(second)
    return first + second


PROGRAMS = [assigned_a_number, assigned_what_was_given, assigned_what_it_was, assigned_between, added_to, carried_along]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_gradient_in_a_function_is_the_eager_one(program):
    def gradients(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = program(x)
        return tape.gradient(y, [x, KEPT])

    found = []
    for way in (gradients, tf.function(gradients)):
        KEPT.assign(1.0)
        found.append([one if one is None else round(float(one), 5) for one in way(tf.constant(0.5))])
    assert found[0] == found[1]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_gradient_of_a_function_is_the_eager_one(program):
    found = []
    for way in (program, tf.function(program)):
        KEPT.assign(1.0)
        x = tf.constant(0.5)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = way(x)
        found.append(float(tape.gradient(y, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)))
    assert found[0] == pytest.approx(found[1], rel=1e-6)
