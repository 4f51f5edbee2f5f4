"""Shape and dtype rules: what comes out, or what is wrong with what went in.

A rule takes the inputs' specs and the op's attributes and gives the output's :class:`Spec`. It runs when an array
function has failed, to say why in words that name shapes and axes (and, in a traced graph, instead of running it).
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from tapeviz.engine.declaration import Spec
from tapeviz.engine.deferred_numbers import Deferred, has_deferred
from tapeviz.engine.errors import InvalidArgumentError

__all__ = ["UNKNOWN", "axes_of", "axis_of", "broadcast", "broadcast_shapes", "broadcastable", "comparison",
           "elementwise", "matmul", "predicate", "reduction", "reshaped", "shape_text", "sizes_of"]  # fmt: skip

UNKNOWN: Final = -1
"""The size of an axis that depends on values (how many elements a mask keeps)."""


def shape_text(shape: tuple[int, ...]) -> str:
    """``[2,3]``, as TensorFlow's errors write shapes."""
    return f"[{','.join(map(str, shape))}]"


def elementwise(x: Spec, **_attrs: Any) -> Spec:
    """One output element an input element."""
    return x


def predicate(x: Spec, **_attrs: Any) -> Spec:
    """A truth value an input element."""
    return Spec(x.shape, np.dtype(np.bool_))


def broadcastable(first: tuple[int, ...], second: tuple[int, ...]) -> bool:
    """Whether two shapes fit together."""
    return all(a == b or 1 in (a, b) for a, b in zip(reversed(first), reversed(second), strict=False))


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that arrays of these shapes broadcast to.

    Raises:
        InvalidArgumentError: two sizes of an axis differ and neither is 1.
    """
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        if has_deferred(shapes):
            return _broadcast_unknown(shapes)
        first, second = _clashing(shapes)
        axis, sizes = _clash(first, second)
        raise InvalidArgumentError(
            f"Incompatible shapes: {shape_text(first)} vs. {shape_text(second)}: axes are matched from the right and "
            f"must be equal or 1, but axis {axis} has sizes {sizes[0]} and {sizes[1]}"
        ) from None


def _broadcast_unknown(shapes: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    """The same where sizes are not known yet: beside one that is known and not 1, those that are not must be the same.

    Raises:
        InvalidArgumentError: two that are known clash.
    """
    rank = max(map(len, shapes))
    sizes = []
    for axis in range(-rank, 0):
        met = {shape[axis] for shape in shapes if -axis <= len(shape)} - {1}
        known = {size for size in met if not isinstance(size, Deferred)}
        if len(known) > 1:
            broadcast_shapes(*(tuple(1 if isinstance(size, Deferred) else size for size in shape) for shape in shapes))
        several = len(met) > 1 and not known
        sizes.append(known.pop() if known else Deferred(("unknown",)) if several else met.pop() if met else 1)
    return tuple(sizes)


def _clashing(shapes: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    for first in shapes:
        for second in shapes:
            if _clash(first, second)[0]:
                return first, second
    return shapes[0], shapes[-1]


def _clash(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, tuple[int, int]]:
    for axis, sizes in enumerate(zip(reversed(first), reversed(second), strict=False), start=1):
        if sizes[0] != sizes[1] and 1 not in sizes:
            return -axis, sizes
    return 0, (0, 0)


def broadcast(*specs: Spec, **_attrs: Any) -> Spec:
    """One output element for each element of the inputs broadcast together."""
    return Spec(broadcast_shapes(*(spec.shape for spec in specs)), specs[0].dtype)


broadcast.broadcasts = True  # type: ignore[attr-defined]  # the backward pass sums over what was repeated


def comparison(x: Spec, y: Spec, **_attrs: Any) -> Spec:
    """A truth value for each element of the inputs broadcast together."""
    return Spec(broadcast_shapes(x.shape, y.shape), np.dtype(np.bool_))


def axes_of(axis: Any, rank: int) -> tuple[int, ...]:
    """The axes meant by ``axis`` (a number, several, or None for all), counted from 0.

    Raises:
        InvalidArgumentError: there is no such axis.
    """
    if axis is None:
        return tuple(range(rank))
    axes = (axis,) if isinstance(axis, (int, np.integer)) else tuple(axis)
    for one in axes:
        if not -rank <= one < rank:
            raise InvalidArgumentError(f"Invalid reduction dimension ({one} for input with {rank} dimension(s)")
    counted = tuple(one % rank for one in axes)
    if len(set(counted)) != len(counted):
        twice = next(one for one in counted if counted.count(one) > 1)
        raise InvalidArgumentError(f"Invalid reduction arguments: Axes contains duplicate dimension: {twice}")
    return counted


def axis_of(axis: int, rank: int, what: str = "Expected dimension") -> int:
    """The one axis meant by ``axis``, counted from 0.

    Raises:
        InvalidArgumentError: there is no such axis; ``what`` begins the message.
    """
    if not -rank <= axis < rank:
        raise InvalidArgumentError(f"{what} in the range [{-rank}, {rank}), but got {axis}")
    return axis % rank


def reduction(x: Spec, *, axis: Any = None, keepdims: bool = False) -> Spec:
    """The axes reduced are gone, or of size 1."""
    axes = axes_of(axis, len(x.shape))
    if keepdims:
        return Spec(tuple(1 if i in axes else size for i, size in enumerate(x.shape)), x.dtype)
    return Spec(tuple(size for i, size in enumerate(x.shape) if i not in axes), x.dtype)


def matmul(a: Spec, b: Spec, *, transpose_a: bool = False, transpose_b: bool = False) -> Spec:
    """Rows of ``a`` times columns of ``b``; axes before the last two broadcast."""
    for position, spec in enumerate((a, b)):
        if len(spec.shape) < 2:  # noqa: PLR2004 - a matrix has two axes
            raise InvalidArgumentError(
                f"In[{position}] ndims must be >= 2, but it has shape {shape_text(spec.shape)}: "
                "add an axis with x[:, tf.newaxis] or x[tf.newaxis, :]"
            )
    rows, inner_a = a.shape[-2:][::-1] if transpose_a else a.shape[-2:]
    inner_b, columns = b.shape[-2:][::-1] if transpose_b else b.shape[-2:]
    if inner_a != inner_b and not has_deferred((inner_a, inner_b)):
        flags = "".join(f", {n}=True" for n, on in (("transpose_a", transpose_a), ("transpose_b", transpose_b)) if on)
        raise InvalidArgumentError(
            f"Matrix size-incompatible: In[0]: {shape_text(a.shape)}, In[1]: {shape_text(b.shape)}{flags}: "
            f"the {inner_a} columns of the first must be as many as the {inner_b} rows of the second"
        )
    return Spec((*broadcast_shapes(a.shape[:-2], b.shape[:-2]), rows, columns), a.dtype)


matmul.broadcasts = True  # type: ignore[attr-defined]  # stacks of matrices broadcast


def _reshaped_unknown(before: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape asked for where sizes are not known yet: -1 is what is left of the whole."""
    if -1 not in shape:
        return shape
    there = list(before)
    others = [size for size in shape if size != -1]
    for size in tuple(others):
        same = next((place for place, one in enumerate(there) if one is size or _both_known(one, size)), None)
        if same is not None:
            there.pop(same)
            others.remove(size)
    left: Any = math.prod(there)
    if others:
        left = left // math.prod(others)
    return tuple(left if size == -1 else size for size in shape)


def _both_known(one: int, other: int) -> bool:
    return one == other and not isinstance(one, Deferred) and not isinstance(other, Deferred)


def sizes_of(value: Any) -> tuple[int, ...]:
    """The sizes of the axes of an array or tensor, Deferred where they are not known yet."""
    return value._a.shape if hasattr(value, "_a") else value.shape  # type: ignore[no-any-return]


def reshaped(x: Spec, *, shape: tuple[int, ...]) -> Spec:
    """The same elements in another shape; one size may be -1, "what is left"."""
    if has_deferred((x.shape, shape)):
        return Spec(_reshaped_unknown(x.shape, shape), x.dtype)
    total = math.prod(x.shape)
    left = [position for position, size in enumerate(shape) if size == -1]
    if len(left) > 1:
        raise InvalidArgumentError(f"Only one input size may be -1, not both {left[0]} and {left[1]}")
    known = math.prod(size for size in shape if size != -1)
    if -1 in shape:
        if known == 0 or total % known:
            raise InvalidArgumentError(
                f"Input to reshape is a tensor with {total} values, but the requested shape requires a multiple of "
                f"{known}"
            )
        shape = tuple(total // known if size == -1 else size for size in shape)
    elif known != total:
        raise InvalidArgumentError(
            f"Input to reshape is a tensor with {total} values, but the requested shape has {known}"
        )
    return Spec(tuple(shape), x.dtype)
