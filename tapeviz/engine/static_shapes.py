"""Static shapes: what is known of shapes while a graph is built, and what can be said of the results by it.

A static shape is a tuple in which a size that is not known is None; a shape of unknown rank is None itself. The rule
of an op for them (``op(..., static=...)``) takes those of its inputs and its attributes, in which numbers that are not
known are None too. It gives the outputs' static shapes, or raises where the inputs do not fit, whatever the unknown
sizes turn out to be. What it says must hold for each size that the op takes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any, Final

from tapeviz.engine.errors import InvalidArgumentError

__all__ = [
    "StaticShape", "at_least", "axis_in", "broadcast", "matmul", "merged", "merged_sizes", "of_any_rank", "of_rank",
    "prefixed", "reshape", "same_shapes", "shape_text", "square",
]  # fmt: skip

StaticShape = tuple[int | None, ...] | None

_MATRIX: Final = 2


def shape_text(shape: StaticShape) -> str:
    """``[2,?]``, as TensorFlow's errors write static shapes."""
    return "<unknown>" if shape is None else f"[{','.join('?' if size is None else str(size) for size in shape)}]"


# What inputs must be.


def of_rank(shape: StaticShape, rank: int, what: str = "Shape") -> tuple[int | None, ...]:
    """The shape, which must have so many axes.

    Raises:
        InvalidArgumentError: it has another number of them.
    """
    if shape is None:
        return (None,) * rank
    if len(shape) != rank:
        raise InvalidArgumentError(f"{what} must be rank {rank} but is rank {len(shape)}: {shape_text(shape)}")
    return shape


def at_least(shape: StaticShape, rank: int, what: str = "Shape") -> StaticShape:
    """The shape, which must have at least so many axes.

    Raises:
        InvalidArgumentError: it has fewer.
    """
    if shape is not None and len(shape) < rank:
        raise InvalidArgumentError(f"{what} must be at least rank {rank} but is rank {len(shape)}: {shape_text(shape)}")
    return shape


def axis_in(axis: int | None, rank: int) -> int | None:
    """The axis counted from 0; None where it is not known, or where there is none (which the op's rule says)."""
    return None if axis is None or not -rank <= axis < rank else axis % rank


def merged_sizes(one: int | None, other: int | None, what: str = "Dimensions must be equal") -> int | None:
    """The size of two axes that must be of one size.

    Raises:
        InvalidArgumentError: both are known and differ.
    """
    if one is None or other is None or one == other:
        return other if one is None else one
    raise InvalidArgumentError(f"{what}, but are {one} and {other}")


def merged(one: StaticShape, other: StaticShape, what: str = "Shapes must be equal") -> StaticShape:
    """The shape of two inputs that must be of one shape.

    Raises:
        InvalidArgumentError: they cannot be.
    """
    if one is None or other is None:
        return other if one is None else one
    if len(one) != len(other):
        raise InvalidArgumentError(f"{what}, but have ranks {len(one)} and {len(other)}: {_both(one, other)}")
    try:
        return tuple(merged_sizes(a, b) for a, b in zip(one, other, strict=True))
    except InvalidArgumentError as error:
        raise InvalidArgumentError(f"{what}: {error.message}: {_both(one, other)}") from None


def _both(one: StaticShape, other: StaticShape) -> str:
    return f"{shape_text(one)} and {shape_text(other)}"


# Rules that several ops share.


def same_shapes(*shapes: StaticShape, **_attrs: Any) -> StaticShape:
    """All inputs are of one shape, which is that of the output."""
    found: StaticShape = None
    for shape in shapes:
        found = merged(found, shape)
    return found


def of_any_rank(rank: int) -> Callable[..., StaticShape]:
    """The rule of ops that leave the shape of their first input as it is and want so many axes at least."""

    def rule(shape: StaticShape, *_others: StaticShape, **_attrs: Any) -> StaticShape:
        return at_least(shape, rank)

    return rule


def square(x: StaticShape, **_attrs: Any) -> StaticShape:
    """Square matrices to square matrices."""
    x = at_least(x, _MATRIX)
    if x is None:
        return None
    size = merged_sizes(x[-1], x[-2], f"A matrix must be square: {shape_text(x)}: dimensions must be equal")
    return (*x[:-2], size, size)


def broadcast(*shapes: StaticShape, **_attrs: Any) -> StaticShape:
    """The shape that these broadcast to.

    Raises:
        InvalidArgumentError: two sizes of an axis are known, differ, and neither is 1.
    """
    if None in shapes:
        return None
    known = [shape or () for shape in shapes]
    sizes: list[int | None] = []
    for column in zip_longest(*(reversed(shape) for shape in known), fillvalue=1):
        others = {size for size in column if size not in (None, 1)}
        if len(others) > 1:
            raise InvalidArgumentError(f"Incompatible shapes: {' vs. '.join(map(shape_text, known))}")
        sizes.append(others.pop() if others else None if None in column else 1)
    return tuple(reversed(sizes))


def matmul(a: StaticShape, b: StaticShape, *, transpose_a: bool = False, transpose_b: bool = False) -> StaticShape:
    """Rows of ``a`` times columns of ``b``."""
    a, b = at_least(a, _MATRIX), at_least(b, _MATRIX)
    rows, inner_a = (None, None) if a is None else a[-2:][::-1] if transpose_a else a[-2:]
    inner_b, columns = (None, None) if b is None else b[-2:][::-1] if transpose_b else b[-2:]
    merged_sizes(inner_a, inner_b, f"Matrix size-incompatible: In[0]: {shape_text(a)}, In[1]: {shape_text(b)}")
    stack = broadcast(None if a is None else a[:-2], None if b is None else b[:-2])
    return None if stack is None else (*stack, rows, columns)


def reshape(x: StaticShape, *, shape: Sequence[int | None]) -> StaticShape:
    """The same elements in another shape; one size may be -1, "what is left"."""
    if list(shape).count(None) == 1 and x is not None and None not in x:
        return _completed(x, shape)
    if None in shape:
        return tuple(None if size == -1 else size for size in shape)
    wanted = [size for size in shape if size not in (-1, None)]
    rest = math.prod(wanted)
    if x is None:
        return tuple(None if size == -1 else size for size in shape)
    known = math.prod(size for size in x if size is not None)
    if len(wanted) < len(shape) or (None not in x and known == rest):
        return None
    if (known and rest % known == 0 and (rest or 0 not in x)) or (known == 0 and rest == 0) or not rest:
        return tuple(shape)
    raise InvalidArgumentError(
        f"Dimension size must be evenly divisible by {known} but is {rest}: input to reshape has shape "
        f"{shape_text(x)}, the requested shape is {shape_text(tuple(shape))}"
    )


def _completed(x: tuple[int | None, ...], shape: Sequence[int | None]) -> StaticShape:
    """The shape asked for, of which one size is not known: it is what is left of a whole that is."""
    others = [size for size in shape if size is not None]
    rest, whole = math.prod(others), math.prod(size for size in x if size is not None)
    if -1 in others or rest == 0 or whole % rest:
        return None
    return tuple(whole // rest if size is None else size for size in shape)


def prefixed(data: StaticShape, start: StaticShape, what: str) -> StaticShape:
    """What is left of a shape behind another with which it must begin."""
    if data is None or start is None:
        return None
    if len(data) < len(start):
        raise InvalidArgumentError(f"{what} must begin with {shape_text(start)} but is {shape_text(data)}")
    merged(data[: len(start)], start, f"{what} must begin with {shape_text(start)}")
    return data[len(start) :]
