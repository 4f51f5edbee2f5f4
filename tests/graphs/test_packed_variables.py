"""Programs that take turns at the same variables find one another's values where they are, without copying them."""

import numpy as np

import tapeviz as tf
from tapeviz.graphs.memory.packed_variables import Bank

SHAPES = ((2, 3), (4,))


def bank(variables, piece=0):
    return Bank(variables, SHAPES, np.dtype(np.float32), piece)


def assigned(to, value):
    """Assign a value to all variables by way of a bank."""
    fresh = to.fresh()
    fresh.flat[:] = value
    to.bind()
    return fresh


def test_the_values_of_another_bank_are_found_where_they_are():
    variables = [tf.Variable(tf.zeros(shape)) for shape in SHAPES]
    one, other = bank(variables), bank(variables)
    made = assigned(one, 1.0)
    assert other.current() is made
    # What is read here is not overwritten by its own bank, though the variables have moved on.
    later = assigned(other, 2.0)
    assert one.current() is later
    for value in (3.0, 4.0, 5.0):
        assigned(one, value)
    np.testing.assert_array_equal(later.flat, 2.0)
    np.testing.assert_array_equal(variables[0].numpy(), np.full((2, 3), 5.0))


def test_a_bank_that_works_in_other_pieces_copies():
    variables = [tf.Variable(tf.ones(shape)) for shape in SHAPES]
    one, other = bank(variables), bank(variables, piece=4)
    made = assigned(one, 1.5)
    found = other.current()
    assert found is not made
    np.testing.assert_array_equal(found.flat, 1.5)


def test_programs_that_take_turns_give_what_one_gives():
    def step(x, w, b):
        w.assign_add(x * 0.5 * tf.ones_like(w))
        b.assign_add(x * 0.5 * tf.ones_like(b))
        return w[0, 0] + b[0]

    variables = [tf.Variable(tf.zeros(shape)) for shape in SHAPES]
    traced = [tf.function(lambda x: step(x, *variables)) for _ in range(2)]
    found = [float(traced[n % 2](tf.constant(1.0))) for n in range(12)]
    assert found == [n + 1.0 for n in range(12)]
