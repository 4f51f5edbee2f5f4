"""Each program of the table gives the same converted and not, on Python values and on eager tensors."""

import numpy as np
import pytest

import tapeviz as tf
from tapeviz import autograph
from tests.autograph.every_program import ids, programs


def tensors(program, arguments):
    return [
        argument if place in program.python or isinstance(argument, bool) or argument is None else tf.constant(argument)
        for place, argument in enumerate(arguments)
    ]


def as_arrays(value):
    return [np.asarray(leaf) for leaf in tf.nest.flatten(value)]


def assert_same(one, other):
    ours, theirs = as_arrays(one), as_arrays(other)
    assert [array.dtype for array in ours] == [array.dtype for array in theirs]
    for array, wanted in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(array, wanted, rtol=1e-6)


def test_the_table_is_large_enough():
    assert len(programs) >= 60
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("program", programs, ids=ids)
def test_every_program_is_converted(program):
    assert not autograph.convert(program.function)[1].reason


@pytest.mark.parametrize("program", programs, ids=ids)
def test_converted_as_original_on_python_values(program):
    converted, _ = autograph.convert(program.function)
    for arguments in program.calls:
        assert_same(converted(*arguments), program.function(*arguments))


@pytest.mark.parametrize("program", programs, ids=ids)
def test_converted_as_original_on_eager_tensors(program):
    converted, _ = autograph.convert(program.function)
    for arguments in program.calls:
        assert_same(converted(*tensors(program, arguments)), program.function(*tensors(program, arguments)))
