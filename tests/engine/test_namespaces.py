"""Namespaces find their names on first use, and importing one imports nothing else."""

from __future__ import annotations

import subprocess
import sys

import pytest

import tapeviz as tf

SPACES = (tf, tf.math, tf.nn, tf.linalg, tf.random)


@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.__name__)
def test_every_name_is_there(space):
    assert set(space._names.listed) <= set(dir(space))
    for name, (home, _) in space._names.homes.items():
        if home.startswith(("tapeviz.engine", "tapeviz.ops")):
            assert getattr(space, name) is not None


@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.__name__)
def test_no_other_name_is_there(space):
    with pytest.raises(AttributeError, match=f"module {space.__name__!r} has no attribute 'nothing'"):
        _ = space.nothing


def test_a_function_is_the_same_wherever_it_is_found():
    assert tf.math.exp is tf.exp
    assert tf.math.mod is tf.math.floormod
    assert tf.nn.swish is tf.nn.silu
    assert tf.linalg.matmul is tf.matmul


def test_an_op_is_found_as_its_function():
    assert tf.exp.__name__ == "exp"
    assert tf.exp.__module__ == "tapeviz"


def test_importing_a_namespace_declares_no_op():
    code = "import sys, tapeviz.math, tapeviz.nn; print(any(name.startswith('tapeviz.ops') for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
