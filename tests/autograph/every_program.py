"""The whole table: importing a module with programs puts them into it. What tests of all programs need."""

from importlib import import_module

import numpy as np

import tapeviz as tf
from tests.autograph.table import programs

__all__ = ["assert_same", "ids", "programs", "tensors"]

for _name in ("branches", "loops", "exits", "structures"):
    import_module(f"tests.autograph.{_name}")

ids = [program.name for program in programs]


def tensors(program, arguments):
    return [
        argument if place in program.python or isinstance(argument, bool) or argument is None else tf.constant(argument)
        for place, argument in enumerate(arguments)
    ]


def assert_same(one, other):
    """The same values; of tensors the same dtypes."""
    for ours, theirs in zip(tf.nest.flatten(one), tf.nest.flatten(other), strict=True):
        if tf.is_tensor(theirs):
            assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(np.asarray(ours), np.asarray(theirs), rtol=1e-6)
