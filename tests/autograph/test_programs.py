"""Each program of the table gives the same on Python values and on eager tensors, converted and not."""

import pytest

from tapeviz import autograph
from tests.autograph.every_program import assert_same, ids, programs, tensors


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
