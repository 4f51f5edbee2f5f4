"""Where values are while compiled code runs, and how the elements of an operand meet those of a result."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

__all__ = ["COLUMN", "EACH", "ONE", "ROW", "MemoryRef", "is_plain", "meeting"]

EACH: Final = "each"
"""An element for each element of the result."""
ONE: Final = "one"
"""One element for all."""
ROW: Final = "row"
"""The same row again and again."""
COLUMN: Final = "column"
"""One element for each row."""


@dataclass(frozen=True, slots=True)
class MemoryRef:
    """Memory with elements row by row.

    ``base`` is the array that it is in, by its number among those that the code is given, or, where ``fixed``, an
    address; ``first`` is where in it, in bytes. ``turned`` is a matrix that is used with its axes swapped.
    """

    base: int
    first: int
    shape: tuple[int, ...]
    dtype: Any
    fixed: bool = False
    turned: bool = False
    kept: Any = field(default=None, compare=False)
    """What keeps memory at a fixed address alive."""

    @property
    def size(self) -> int:
        """How many elements."""
        return math.prod(self.shape)

    @property
    def end(self) -> int:
        """Where it ends, in bytes."""
        return self.first + self.size * int(self.dtype.itemsize)

    def shaped(self, shape: tuple[int, ...]) -> MemoryRef:
        """The same memory in another shape."""
        return replace(self, shape=shape)

    def swapped(self) -> MemoryRef:
        """A matrix with its axes swapped."""
        return replace(self, turned=not self.turned)

    def meets(self, other: MemoryRef) -> bool:
        """Whether writing the one may change the other, element by element at the same index left out."""
        if (self.base, self.fixed) != (other.base, other.fixed) or self.end <= other.first or other.end <= self.first:
            return False
        alike = self.first == other.first and self.dtype.itemsize == other.dtype.itemsize and self.size == other.size
        return not alike


def meeting(shape: tuple[int, ...], result: tuple[int, ...]) -> tuple[str, int] | None:
    """How an operand of a shape is used for a result, and the length of a row where that matters.

    None where it is in no way that is written here.
    """
    size, total = math.prod(shape), math.prod(result)
    if size == total:
        return EACH, 0
    if size == 1:
        return ONE, 0
    axes = (1,) * (len(result) - len(shape)) + tuple(shape)
    split = next(place for place, (mine, whole) in enumerate(zip(axes, result, strict=True)) if mine == whole != 1)
    if all(axis == 1 for axis in axes[:split]) and axes[split:] == result[split:]:
        return ROW, size
    last = max(place for place, (mine, whole) in enumerate(zip(axes, result, strict=True)) if mine == whole != 1) + 1
    if all(axis == 1 for axis in axes[last:]) and axes[:last] == result[:last]:
        return COLUMN, total // size
    return None


def is_plain(dtype: np.dtype) -> bool:
    """Whether elements are of a kind that processors compute with."""
    return dtype.kind in "fiub" and dtype.isnative and dtype.itemsize <= 8 and dtype != np.float16  # noqa: PLR2004
