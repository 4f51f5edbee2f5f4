"""Attributes of ops from what users give: one dtype of a few, a whole number."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from tapeviz.engine import rules
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.shapes import as_dimensions

__all__ = ["chosen_dtype", "whole_number"]

_KERNELS_SAY: Final = {"float16": "half", "float32": "float", "float64": "double"}


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
        given = _KERNELS_SAY.get(wanted.name, wanted.name)
        allowed = ", ".join(names)
        raise InvalidArgumentError(
            f"Value for attr '{attribute}' of {given} is not in the list of allowed values: {allowed} [Op:{kernel}]"
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
        raise InvalidArgumentError(f"{what} {rules.shape_text(shape)} [Op:{kernel}]")
    return as_dimensions(value)[0]
