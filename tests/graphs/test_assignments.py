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


def used_beside_the_variable(x):
    y = tf.exp(x)
    KEPT.assign(y)
    return KEPT * 3.0 + 5.0 * y


def used_later_alone(x):
    y = tf.exp(x)
    KEPT.assign(y)
    _ = KEPT + 1.0
    return 5.0 * y


def used_later_alone_and_not_from_what_is_followed(_x):
    y = tf.exp(tf.constant(0.5))
    KEPT.assign(y)
    _ = KEPT + 1.0
    return 5.0 * y


def assigned_itself(x):
    KEPT.assign(KEPT)
    return KEPT * KEPT + x


def assigned_in_a_branch(x):
    y = 2.0 * x
    if y > 0.0:
        KEPT.assign(y)
        y = KEPT * KEPT
    return KEPT * y + x


def assigned_in_a_loop(x):
    y = x
    for _ in tf.range(3):
        KEPT.assign(KEPT * 0.5)
        y = y * KEPT
    return y + KEPT * KEPT


OTHER = tf.Variable(2.0)


def assigned_to_two(x):
    y = tf.exp(x)
    KEPT.assign(y)
    OTHER.assign(y)
    return KEPT * 3.0 + 5.0 * OTHER


INNER = tf.function(assigned_between)


def assigned_in_a_called_function(x):
    return INNER(x) * KEPT


PROGRAMS = [
    assigned_a_number, assigned_what_was_given, assigned_what_it_was, assigned_between, added_to, carried_along,
    used_beside_the_variable, used_later_alone, used_later_alone_and_not_from_what_is_followed, assigned_itself,
    assigned_in_a_branch, assigned_in_a_loop, assigned_to_two, assigned_in_a_called_function,
]  # fmt: skip


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
        gradients = tape.gradient(y, [x, KEPT], unconnected_gradients=tf.UnconnectedGradients.ZERO)
        found.append([float(gradient) for gradient in gradients])
    assert found[0] == pytest.approx(found[1], rel=1e-6)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_recorded_gradient_of_a_function_is_the_eager_one(program):
    found = []
    for way in (program, tf.function(program)):
        KEPT.assign(1.0)
        x = tf.constant(0.5)
        with tf.record(), tf.GradientTape() as tape:
            tape.watch(x)
            y = way(x)
        gradients = tape.gradient(y, [x, KEPT], unconnected_gradients=tf.UnconnectedGradients.ZERO)
        found.append([float(gradient) for gradient in gradients])
    assert found[0] == pytest.approx(found[1], rel=1e-6)
