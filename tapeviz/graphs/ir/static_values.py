"""Whole numbers that are known while tracing, though no array is: shapes, and what programs compute from shapes.

``tf.reshape(x, [tf.shape(x)[0], -1])`` can then be given a shape: the first number *is* the size of the first axis.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from tapeviz.backends import NUMPY
from tapeviz.engine.declaration import Op
from tapeviz.engine.kernels import kernel_of
from tapeviz.ops.declarations import rank, size
from tapeviz.ops.declarations import shape as shape_of

__all__ = ["static_value"]

_MOST: Final = 64
_SAME: Final = frozenset(("identity", "cast"))


def static_value(op: Op, inputs: Sequence[Any], attrs: dict[str, Any], output: Any) -> Any:
    """What is known of an output's elements: an array of whole numbers and Deferreds, or None."""
    if output._a.dtype.kind not in "iu":
        return None
    if (of_shape := _OF_SHAPES.get(op)) is not None:
        shape = inputs[0]._a._shape
        return None if shape is None else np.asarray(of_shape(shape), object)
    known = [tensor._static_value for tensor in inputs]
    if not known or any(value is None or value.size > _MOST or value.dtype.kind not in "iuO" for value in known):
        return None
    objects = [value.astype(object) for value in known]
    return np.asarray(objects[0]) if op.traits & _SAME else _computed(op, objects, attrs)


def _computed(op: Op, objects: list[Any], attrs: dict[str, Any]) -> Any:
    if "objects" not in op.traits:
        return None
    try:
        return np.asarray(kernel_of(op, NUMPY)(*objects, **attrs), object)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None


def _objects(values: Sequence[Any]) -> np.ndarray:
    made = np.empty(len(values), object)
    made[:] = values
    return made


_OF_SHAPES: Final[dict[Op, Callable[[tuple[Any, ...]], np.ndarray]]] = {
    shape_of: _objects,
    rank: lambda shape: np.asarray(len(shape), object),
    size: lambda shape: np.asarray(math.prod(shape), object),
}
