"""What public functions ask of their arguments before an op runs, and how they say what is wrong."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from tapeviz.engine.deferred_numbers import Deferred
from tapeviz.engine.dtypes import as_dtype, kernel_name
from tapeviz.engine.errors import InvalidArgumentError, ShapeError
from tapeviz.engine.rules import shape_text
from tapeviz.engine.shapes import as_dimensions, one_number
from tapeviz.engine.state import local
from tapeviz.engine.symbolic import at_line

__all__ = ["as_sizes", "as_vector", "axis_number", "chosen_dtype", "whole_number"]


def as_vector(numbers: Any, complaint: str) -> tuple[int, ...]:
    """Whole numbers that must be a list, or a tensor or array of rank 1, as a tuple.

    Raises:
        InvalidArgumentError: they are one number or a matrix; ``complaint`` begins the message.
    """
    if numbers.__class__ in (list, tuple) and not any(isinstance(number, (list, tuple)) for number in numbers):
        return as_dimensions(numbers)
    if hasattr(numbers, "_numbers") and _rank_of(numbers) in (None, 1):
        return numbers._numbers()  # type: ignore[no-any-return]
    if hasattr(numbers, "_numbers") and numbers._static_value is None:
        raise InvalidArgumentError(f"{complaint} {numbers.shape}{at_line()}")
    host = numbers._host() if hasattr(numbers, "_host") else np.asarray(numbers)
    if host.ndim != 1:
        raise InvalidArgumentError(f"{complaint} {shape_text(host.shape)}")
    return tuple(int(number) for number in host)


def as_sizes(shape: Any, kernel: str, *, number: bool = False) -> tuple[int, ...]:
    """The sizes of a result's axes: whole numbers, or a tensor of them; one ``number`` alone only where it may be.

    Raises:
        ShapeError: one number is given while a graph is built.
        InvalidArgumentError: one number is given where a list must be.
    """
    alone = isinstance(shape, int) or (_has_shape(shape) and _rank_of(shape) == 0)
    if alone and local.state.graph is not None:
        raise ShapeError(f"Shape must be rank 1 but is rank 0: the sizes are one number, {shape} [Op:{kernel}]")
    if alone and not number:
        raise InvalidArgumentError(f"shape must be a vector of {{int32,int64}}, got shape [] [Op:{kernel}]")
    return as_dimensions(shape)


def _has_shape(value: Any) -> bool:
    # A tensor of a graph has an ndim only where that is known.
    return hasattr(value, "_a") or hasattr(value, "ndim")


def _rank_of(tensor: Any) -> int | None:
    if not hasattr(tensor, "_a"):
        return int(tensor.ndim)
    shape = tensor._a._shape if hasattr(tensor._a, "_shape") else tensor._a.shape
    return None if shape is None else len(shape)


def axis_number(axis: Any) -> int:
    """An axis (or a size) that may be given as a tensor, whose value a graph may know only when it runs."""
    if axis.__class__ is int or isinstance(axis, Deferred):
        return axis
    return one_number(axis) if hasattr(axis, "_numbers") else int(axis)


@cache
def chosen_dtype(value: Any, attribute: str, allowed: str, kernel: str) -> Any:
    """The NumPy dtype that ``value`` names, which is one of ``allowed``, separated by spaces.

    Raises:
        InvalidArgumentError: it is another; the message names ``attribute`` and ``kernel`` as TensorFlow's does.

    >>> chosen_dtype("int64", "out_type", "int32 int64", "LowerBound")
    dtype('int64')
    """
    wanted = as_dtype(value)
    names = allowed.split()
    if wanted.name not in names:
        allowed = ", ".join(names)
        raise InvalidArgumentError(
            f"Value for attr '{attribute}' of {kernel_name(wanted)} is not in the list of allowed values: {allowed} "
            f"[Op:{kernel}]"
        )
    return wanted.numpy


def whole_number(value: Any, what: str, kernel: str) -> int:
    """The one whole number that ``value`` is: a Python number, or a tensor or array without axes.

    Raises:
        InvalidArgumentError: it has axes; ``what`` begins the message.

    >>> whole_number(3, "k must be scalar, got shape", "TopKV2")
    3
    """
    if value.__class__ is int:
        return int(value)
    shape = (len(value),) if isinstance(value, (list, tuple)) else tuple(getattr(value, "shape", ()))
    if shape:
        raise InvalidArgumentError(f"{what} {shape_text(shape)} [Op:{kernel}]")
    return as_dimensions(value)[0]
