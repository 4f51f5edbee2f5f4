"""Sums and rows of large arrays, in blocks on several threads.

Large sums have an order of their own. NumPy adds up a row in eight chains, which are longer than the processor needs to
be busy; ``einsum`` has vectors and takes a third of the time. A row is cut into pieces, pieces are added up by it, and
their sums as NumPy adds; columns are added up a block of rows at a time. Where pieces and blocks begin follows from the
shape, so a sum is the same to the bit on any number of threads, eagerly and in a graph.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

from tapeviz.backends.blocks import LARGE, places_of, run_blocks
from tapeviz.native.kernels import Kernel
from tapeviz.native.row_kernels import PIECE, SHORT, column_sums_text, extremes_text, sums_text

__all__ = [
    "FLOATS",
    "KINDS",
    "READ_ONCE",
    "in_rows",
    "is_large",
    "is_last",
    "places_of_rows",
    "row_extremes",
    "row_totals",
    "rows_largest",
    "total",
]

try:
    from numpy._core import multiarray

    _einsum: Any = multiarray.c_einsum
except (ImportError, AttributeError):  # another NumPy keeps it elsewhere
    _einsum = np.einsum

KINDS: Final[dict[np.dtype, str]] = {np.dtype(np.float32): "float", np.dtype(np.float64): "double"}
"""The dtypes that large sums and rows have, and what LLVM calls their numbers."""
FLOATS: Final = frozenset(KINDS)
"""These dtypes."""
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
    rank = x.ndim
    if axis is None:
        return _row_sums(x.reshape(1, -1)).reshape((1,) * rank if keepdims else ())
    axes = _axes(axis, rank)
    kept = [size for place, size in enumerate(x.shape) if place not in axes]
    shape = tuple(1 if place in axes else size for place, size in enumerate(x.shape)) if keepdims else tuple(kept)
    count = math.prod(kept)
    if axes == list(range(rank - len(axes), rank)):
        sums = _row_sums(x.reshape(count, -1))
    elif axes == list(range(len(axes))) and count >= SHORT:
        sums = _column_sums(x.reshape(-1, count))
    elif axes == list(range(axes[0], rank - 1)) and x.shape[-1] > 1:
        sums = _inner_sums(x.reshape(math.prod(x.shape[: axes[0]]), -1, x.shape[-1]))
    else:
        return xp.add.reduce(x, axis=axis, keepdims=keepdims, dtype=x.dtype)
    return sums.reshape(shape)


def _inner_sums(x: Any) -> Any:
    """The sum over the axis in the middle: in NumPy's order, without what NumPy does anew for each short row."""
    result = np.empty((len(x), x.shape[-1]), x.dtype)
    places = places_of(len(x), x[0].nbytes, READ_ONCE)
    run_blocks(lambda place: _einsum("nij->nj", x[place], out=result[place]), places)
    return result


def _row_sums(x: Any) -> Any:
    """The sum of each row of a large matrix."""
    count, length = x.shape
    result = np.empty(count, x.dtype)
    if SHORT <= length <= PIECE and (add_up := _SUMS[x.dtype].ready()) is not None:
        run_blocks(lambda place: add_up(place.start, place.stop, x, result, length), places_of_rows(x, READ_ONCE))
        return result
    if length < LARGE:
        run_blocks(lambda place: row_totals(x[place], result[place]), places_of_rows(x, READ_ONCE))
        return result
    whole = length - length % PIECE
    for place, row in enumerate(x):
        sums = _row_sums(row[:whole].reshape(-1, PIECE))
        rest = _einsum("i->", row[whole:])
        result[place] = np.add(np.add.reduce(sums), rest) if whole < length else np.add.reduce(sums)
    return result


def row_totals(x: Any, out: Any) -> None:
    """Write the sum of each row of a matrix, in the order of large sums; on this thread."""
    length = x.shape[1]
    if SHORT <= length <= PIECE and (add_up := _SUMS[x.dtype].ready()) is not None:
        add_up(0, len(x), x, out, length)
    else:
        _row_totals(x, length, out)


def _row_totals(x: Any, length: int, out: Any) -> None:
    whole = length - length % PIECE
    if length < SHORT:
        np.add.reduce(x, 1, None, out)
    elif length <= PIECE:
        _einsum("ij->i", x, out=out)
    else:
        np.add.reduce(_piece_sums(x[:, :whole].reshape(len(x), -1, PIECE)), 1, None, out)
        if whole < length:
            np.add(out, _einsum("ij->i", x[:, whole:]), out)


def _piece_sums(x: Any) -> Any:
    """The sum of each of the pieces of rows."""
    if not x.flags.c_contiguous or (add_up := _SUMS[x.dtype].ready()) is None:
        return _einsum("ijk->ij", x)
    sums = np.empty(x.shape[:2], x.dtype)
    add_up(0, sums.size, x, sums, PIECE)
    return sums


def _column_sums(x: Any) -> Any:
    """The sum of each column of a large matrix: of blocks of rows, and then of what these give."""
    places = places_of_rows(x, READ_ONCE)
    sums = np.empty((len(places), x.shape[1]), x.dtype)
    first = {place.start: row for place, row in zip(places, sums, strict=True)}
    if (add_up := _COLUMN_SUMS[x.dtype].ready()) is not None:
        run_blocks(lambda place: add_up(place.start, place.stop, x, first[place.start], x.shape[1]), places)
    else:
        run_blocks(lambda place: np.add.reduce(x[place], 0, None, first[place.start]), places)
    return np.add.reduce(sums, 0)


def rows_largest(reduce: Callable[..., Any], x: Any, axis: Any, keepdims: bool) -> Any | None:
    """The largest (or smallest, as ``reduce`` says) element of each row of a large array; None for other axes."""
    if not is_large(x) or x.ndim < _MATRIX or not is_last(axis, x.ndim):
        return None
    result = np.empty(x.shape[:-1], x.dtype)
    rows, flat = x.reshape(-1, x.shape[-1]), result.reshape(-1)
    kernels = _LARGEST if reduce == np.maximum.reduce else _SMALLEST if reduce == np.minimum.reduce else {}
    function = kernels[x.dtype].ready() if kernels else None

    def compute(place: slice) -> None:
        if function is not None:
            function(place.start, place.stop, rows, flat, rows.shape[1])
        else:
            row_extremes(reduce, rows[place], flat[place])

    run_blocks(compute, places_of_rows(rows, READ_ONCE))
    return result[..., None] if keepdims else result


def row_extremes(reduce: Callable[..., Any], x: Any, out: Any) -> None:
    """Write the largest or smallest number of each row of a matrix; 0 has no sign, which would depend on the order."""
    reduce(x, 1, None, out)
    np.add(out, 0.0, out)


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


def _kernels(write: Callable[[str], str], by_numpy: Callable[[Any, Any], Any], across: int) -> dict[np.dtype, Kernel]:
    """For each dtype the kernel that gives a number for each row, or where ``across`` is 0 for each column."""

    def agrees(function: Callable[..., Any], dtype: np.dtype) -> bool:
        rng = np.random.default_rng(0)
        for shape in ((3, SHORT), (5, 100), (2, 577), (9, PIECE - 1), (8, PIECE)):
            x = rng.normal(size=shape).astype(dtype)
            found, wanted = (np.empty(shape[1 - across], dtype) for _ in range(2))
            function(0, len(x), x, found, shape[1])
            by_numpy(x, wanted)
            if found.tobytes() != wanted.tobytes():
                return False
        return True

    return {dtype: Kernel(partial(write, kind), partial(agrees, dtype=dtype)) for dtype, kind in KINDS.items()}


_SUMS: Final = _kernels(sums_text, lambda x, out: _row_totals(x, x.shape[1], out), 1)
_COLUMN_SUMS: Final = _kernels(column_sums_text, lambda x, out: np.add.reduce(x, 0, None, out), 0)
_LARGEST: Final = _kernels(partial(extremes_text, relation="ogt"), partial(row_extremes, np.maximum.reduce), 1)
_SMALLEST: Final = _kernels(partial(extremes_text, relation="olt"), partial(row_extremes, np.minimum.reduce), 1)
