"""Run a function compiled, and compare with what NumPy computes op by op."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tapeviz as tf
from tapeviz.graphs.run.executable import Executable

__all__ = ["compiled", "equal_numbers", "regions_in"]


def compiled(call: Callable[..., Any], *tensors: Any) -> Executable:
    """Return the compiled program of a function for tensors of these forms."""
    routine = tf.function(call, autograph=False).get_concrete_function(*tensors)._routine
    program = Executable(routine.graph, routine.outputs)
    arrays = [tensor._a for tensor in tensors]
    while not program._native:
        program(arrays)
    return program


def regions_in(program: Executable) -> int:
    """Return how many calls of compiled code there are in a program."""
    return program.source.count("(memory, ")


def equal_numbers(one: Any, other: Any) -> bool:
    """Tell whether two arrays are equal to the bit, zeros with their sign, but for which nan a nan is.

    Of two nans a processor passes on the first one. Which one is first is up to whoever orders a sum's operands:
    IEEE 754 leaves it open, and two compilers do not agree.
    """
    one, other = np.asarray(one), np.asarray(other)
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    if one.dtype.kind == "O":  # strings
        return one.tolist() == other.tolist()  # type: ignore[no-any-return]
    if one.dtype.kind != "f":
        return one.tobytes() == other.tobytes()
    known = ~np.isnan(other)
    return bool((np.isnan(one) == ~known).all()) and one[known].tobytes() == other[known].tobytes()
