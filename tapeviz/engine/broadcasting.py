"""Broadcasting undone, for gradients."""

from __future__ import annotations

import math
from typing import Any, Final

from tapeviz.engine.deferred_numbers import has_deferred

__all__ = ["rows_beside", "summed_rows", "unbroadcast"]

_MANY: Final = 8192  # elements
_SHORT, _LONG = 128, 1024  # elements of a row
_FEW: Final = 4


def unbroadcast(ops: Any, gradient: Any, shape: tuple[int, ...]) -> Any:
    """Sum ``gradient`` over the axes along which an input of ``shape`` was repeated; ``ops`` is ``F``."""
    if hasattr(gradient, "_numbers") and has_deferred((*shape, *gradient._a.shape)):
        return ops.sum_to_shape(gradient, shape=shape)
    extra = len(gradient.shape) - len(shape)
    axes = tuple(range(extra)) + tuple(
        axis + extra for axis, size in enumerate(shape) if size == 1 and gradient.shape[axis + extra] != 1
    )
    if axes and axes[-1] == len(axes) - 1:
        gradient = summed_rows(ops, gradient, tuple(gradient.shape), len(axes))
    elif axes:
        gradient = ops.reduce_sum(gradient, axis=axes, keepdims=False)
    return ops.reshape(gradient, shape=shape) if tuple(gradient.shape) != shape else gradient


def summed_rows(ops: Any, gradient: Any, shape: tuple[int, ...], count: int) -> Any:
    """Sum ``gradient``, of a shape, over its first ``count`` axes; ``ops`` is ``F``.

    Where that adds up many short rows, as for the bias of a convolution, some are laid side by side first, and what
    comes out for each of them is added up then. On the host that takes a tenth of the time, as each addition of two
    rows costs more than their elements do, and it rounds less.
    """
    rows, length = math.prod(shape[:count]), math.prod(shape[count:])
    beside = 1 if has_deferred(shape) else rows_beside(rows, length)
    if beside == 1:
        return ops.reduce_sum(gradient, axis=tuple(range(count)), keepdims=False)
    long = ops.reduce_sum(ops.reshape(gradient, shape=(rows // beside, beside * length)), axis=(0,), keepdims=False)
    total = ops.reduce_sum(ops.reshape(long, shape=(beside, length)), axis=(0,), keepdims=False)
    return ops.reshape(total, shape=shape[count:])


def rows_beside(rows: int, length: int) -> int:
    """How many of so many short rows are laid side by side; 1 where that gains nothing."""
    beside = min(rows & -rows, _beside(length)) if 1 < length <= _SHORT and rows * length >= _MANY else 1
    return 1 if beside < _FEW else beside


def _beside(length: int) -> int:
    """How many rows to lay side by side at most: a power of 2, by which many numbers of rows can be divided."""
    return 1 << (_LONG // length).bit_length() - 1
