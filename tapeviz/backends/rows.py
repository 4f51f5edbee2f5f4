"""Sums and rows of large arrays, in blocks on several threads.

Large sums have an order of their own. NumPy adds up a row in eight chains, which are longer than the processor needs to
be busy; ``einsum`` has vectors and takes a third of the time. A row is cut into pieces, pieces are added up by it, and
their sums as NumPy adds; columns are added up a block of rows at a time. Where pieces and blocks begin follows from the
shape, so a sum is the same to the bit on any number of threads, eagerly and in a graph.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tapeviz.backends.blocks import LARGE, places_of, run_blocks

__all__ = [
    "FLOATS",
    "READ_ONCE",
    "in_rows",
    "is_large",
    "is_last",
    "places_of_rows",
    "row_totals",
    "rows_largest",
    "total",
]

try:
    from numpy._core import multiarray

    _einsum: Any = multiarray.c_einsum
except (ImportError, AttributeError):  # another NumPy keeps it elsewhere
    _einsum = np.einsum

FLOATS: Final = frozenset(map(np.dtype, (np.float32, np.float64)))
"""The dtypes that large sums and rows have."""
_PIECE: Final = 1024  # elements, whose sum has not lost more digits than NumPy's would have
_SHORT: Final = 64  # elements of a row up to which one call for all rows costs more than the rows
_BLOCK_BYTES: Final = 1 << 19
READ_ONCE: Final = 1 << 20
"""Bytes of a block of which nothing is read again: few calls count for more than the cache."""
_MATRIX: Final = 2  # axes


def is_large(x: Any) -> bool:
    """Whether it is an array of the host's, with many single or double numbers one after the other."""
    return x.__class__ is np.ndarray and x.size >= LARGE and x.dtype in FLOATS and x.flags.c_contiguous


def total(xp: Any, x: Any, axis: Any, keepdims: bool) -> Any:
    """The sum over axes: ``xp.add.reduce``, but for large arrays the last or the first axes, or all."""
    if not is_large(x):
        return xp.add.reduce(x, axis=axis, keepdims=keepdims, dtype=x.dtype)
    rank, axes = x.ndim, _axes(axis, x.ndim)
    kept = [size for place, size in enumerate(x.shape) if place not in axes]
    shape = tuple(1 if place in axes else size for place, size in enumerate(x.shape)) if keepdims else tuple(kept)
    count = math.prod(kept)
    if axes == list(range(rank - len(axes), rank)):
        sums = _row_sums(x.reshape(count, -1))
    elif axes == list(range(len(axes))) and count >= _SHORT:
        sums = _column_sums(x.reshape(-1, count))
    else:
        return xp.add.reduce(x, axis=axis, keepdims=keepdims, dtype=x.dtype)
    return sums.reshape(shape)


def _row_sums(x: Any) -> Any:
    """The sum of each row of a large matrix."""
    count, length = x.shape
    result = np.empty(count, x.dtype)
    if length < LARGE:
        run_blocks(lambda place: row_totals(x[place], result[place]), places_of_rows(x, READ_ONCE))
        return result
    whole = length - length % _PIECE
    for place, row in enumerate(x):
        sums = _row_sums(row[:whole].reshape(-1, _PIECE))
        rest = _einsum("i->", row[whole:])
        result[place] = np.add(np.add.reduce(sums), rest) if whole < length else np.add.reduce(sums)
    return result


def row_totals(x: Any, out: Any) -> None:
    """Write the sum of each row of a matrix, in the order of large sums; on this thread."""
    length = x.shape[1]
    whole = length - length % _PIECE
    if length < _SHORT:
        np.add.reduce(x, 1, None, out)
    elif length <= _PIECE:
        _einsum("ij->i", x, out=out)
    else:
        np.add.reduce(_einsum("ijk->ij", x[:, :whole].reshape(len(x), -1, _PIECE)), 1, None, out)
        if whole < length:
            np.add(out, _einsum("ij->i", x[:, whole:]), out)


def _column_sums(x: Any) -> Any:
    """The sum of each column of a large matrix: of blocks of rows, and then of what these give."""
    places = places_of_rows(x, READ_ONCE)
    sums = np.empty((len(places), x.shape[1]), x.dtype)
    first = {place.start: row for place, row in zip(places, sums, strict=True)}
    run_blocks(lambda place: np.add.reduce(x[place], 0, None, first[place.start]), places)
    return np.add.reduce(sums, 0)


def rows_largest(reduce: Callable[..., Any], x: Any, axis: Any, keepdims: bool) -> Any | None:
    """The largest (or smallest, as ``reduce`` says) element of each row of a large array; None for other axes."""
    if not is_large(x) or x.ndim < _MATRIX or not is_last(axis, x.ndim):
        return None
    result = np.empty(x.shape[:-1], x.dtype)
    rows, flat = x.reshape(-1, x.shape[-1]), result.reshape(-1)
    run_blocks(lambda place: reduce(rows[place], 1, None, flat[place]), places_of_rows(rows, READ_ONCE))
    return result[..., None] if keepdims else result


def is_last(axis: Any, rank: int) -> bool:
    """Whether an axis, or a tuple of one, is the last."""
    return _axes(axis, rank) == [rank - 1]


def _axes(axis: Any, rank: int) -> list[int]:
    """The axes that are meant, in order: by an axis, several, or None for all."""
    given = range(rank) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return sorted({place % rank for place in given})


def in_rows(function: Callable[..., Any], x: Any, *others: Any) -> None:
    """Call ``function`` with blocks of the rows of a large array, and of other arrays of as many rows.

    ``x`` is taken as a matrix; so are others that have its shape; of the rest the first axes are one.
    """
    length = x.shape[-1]
    arrays = [array.reshape(-1, length) if array.shape == x.shape else array.reshape(-1) for array in (x, *others)]
    run_blocks(lambda place: function(*[array[place] for array in arrays]), places_of_rows(arrays[0]))


def places_of_rows(x: Any, most: int = _BLOCK_BYTES) -> list[slice]:
    """Where blocks of a matrix's rows lie, of about ``most`` bytes."""
    return places_of(len(x), x.itemsize * x.shape[1], most)
