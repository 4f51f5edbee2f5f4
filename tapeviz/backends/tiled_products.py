"""Products of large matrices in tiles that stay in registers, on all cores.

Where NumPy's BLAS uses vectors that are half as long as the processor's: this is compiled for the one that is there.
A matrix is taken as it lies, row by row or column by column; only the second one's columns are laid out next to each
other as tiles want them.

A result is the sum of pieces of 2,048 products, each of them one chain in order: it has the same bits whichever way the
matrices lie, and on any number of threads. Small products are BLAS'.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, Final

import numpy as np

from tapeviz.backends.blas_core import is_for_older_processors
from tapeviz.backends.blocks import places_of, run_blocks
from tapeviz.native.machine import vectors
from tapeviz.native.product_tiles import are_possible, share, sliding, tile_of
from tapeviz.native.transposition import turning

__all__ = ["TYPES", "address", "are_tiled", "laid_out", "listed", "numbers_from", "product",
           "stacked_product"]  # fmt: skip

TYPES: Final = frozenset(map(np.dtype, (np.float32, np.float64)))
"""The dtypes of the products that are computed here."""

_WORTHWHILE: Final = 1 << 22  # products, below which BLAS' smaller beginnings count
_WIDE: Final = 64  # bytes of a vector
_LEAST: Final = 16  # columns and products of a result, with which tiles are filled
_LEAST_ROWS: Final = 64  # for which it pays to lay out the other matrix anew
_COPIED_BYTES: Final = 1 << 26  # of that matrix
_PIECE: Final = 2048  # products of one chain
_PARTIAL_BYTES: Final = 1 << 25  # of pieces' sums before they are added up
_UNIT: Final = 48  # rows: some whole tiles
_JOB: Final = 1 << 23  # products, some 60 us
_SINGLE: Final = 1 << 18  # products up to which OpenBLAS takes one thread
_STACK: Final = 1 << 20  # products, of which a job has as many
_CACHED_BYTES: Final = 1 << 18


def address(array: np.ndarray, element: int = 0) -> int:
    """Where an element of an array that lies row by row is in memory."""
    return int(array.__array_interface__["data"][0]) + element * array.itemsize


def listed(*numbers: int) -> np.ndarray:
    """What is the same for all calls of a function."""
    return np.array(numbers, np.int64)


@lru_cache(maxsize=128)
def numbers_from(count: int, step: int) -> np.ndarray:
    """The distances of so many places in a row."""
    return np.arange(0, count * step, step, dtype=np.int64)


def are_tiled(dtype: Any, rows: int, inner: int, columns: int) -> bool:
    """Whether the product of a matrix of (rows, inner) and one of (inner, columns) is computed here."""
    if rows * inner * columns < _WORTHWHILE or rows < _LEAST_ROWS or min(inner, columns) < _LEAST:
        return False
    if dtype not in TYPES or inner * columns * dtype.itemsize > _COPIED_BYTES:
        return False
    pieces = -(-inner // _PIECE)
    return (
        are_possible()
        and vectors()[0] >= _WIDE
        and is_for_older_processors()
        and (pieces == 1 or pieces * rows * columns * dtype.itemsize <= _PARTIAL_BYTES)
    )


def product(a: Any, b: Any) -> Any | None:
    """The product of two large matrices, which may be views of transposed ones; None where it is not computed here."""
    if a.__class__ is not np.ndarray or b.__class__ is not np.ndarray or a.dtype is not b.dtype:
        return None
    (rows, inner), columns = a.shape, b.shape[-1]
    if len(b) != inner or not are_tiled(a.dtype, rows, inner, columns):
        return None
    if not a.flags.c_contiguous and not a.T.flags.c_contiguous:
        a = np.ascontiguousarray(a)
    pieces = [slice(first, min(first + _PIECE, inner)) for first in range(0, inner, _PIECE)]
    parts = np.empty((len(pieces), rows, columns), a.dtype)
    jobs = [job for y, piece in zip(parts, pieces, strict=True) for job in _jobs(a[:, piece], b[piece], y)]
    run_blocks(lambda place: jobs[place.start](), [slice(at, at + 1) for at in range(len(jobs))])
    return parts[0] if len(parts) == 1 else np.add.reduce(parts, axis=0)


def stacked_product(xp: Any, a: Any, b: Any) -> Any:
    """``xp.matmul`` of stacks of matrices: of many small ones on several threads, each by BLAS, on one thread."""
    if xp is not np or a.shape[:-2] != b.shape[:-2] or a.dtype is not b.dtype or a.dtype not in TYPES:
        return xp.matmul(a, b)
    count, each = math.prod(a.shape[:-2]), a.shape[-2] * a.shape[-1] * b.shape[-1]
    if each > _SINGLE or count * each < _WORTHWHILE or len(b) == 0 or a.shape[-1] != b.shape[-2]:
        return np.matmul(a, b)
    x, y = (matrices.reshape(-1, *matrices.shape[-2:]) for matrices in (a, b))
    made = np.empty((count, a.shape[-2], b.shape[-1]), a.dtype)
    run_blocks(lambda place: np.matmul(x[place], y[place], made[place]), places_of(count, each, _STACK))
    return made.reshape(*a.shape[:-1], b.shape[-1])


def _jobs(a: Any, b: Any, y: Any) -> list[Callable[[], None]]:
    """What computes the product of a piece: some rows at a time stay in the cache while stripes of columns pass."""
    (rows, inner), columns = a.shape, b.shape[1]
    turned = a.strides[0] == a.itemsize < a.strides[1]
    pitch = inner if turned else a.strides[0] // a.itemsize
    stripes = [
        (tile, first, width, laid_out(b[None, :, first : first + width], tile.elements))
        for tile, first, width in _stripes(a.itemsize, columns)
    ]
    jobs: list[Callable[[], None]] = []
    for first_row, unit, count in _units(rows):
        target = y[first_row : first_row + unit * count]
        calls = [_call(stripe, target, unit, pitch, inner) for stripe in stripes]
        step = max(1, min(_JOB // (inner * columns), _CACHED_BYTES // (inner * a.itemsize)) // unit)
        for start in range(0, count, step):
            some = min(step, count - start)
            part = a[first_row + start * unit : first_row + (start + some) * unit]
            jobs.append(partial(_multiply, part, calls, start, start * unit * pitch, some, turned=turned))
    return jobs


def _call(stripe: Any, y: Any, unit: int, pitch: int, inner: int) -> tuple[Any, int, Any]:
    """The function for a stripe of columns, the address of what it is told each time, and what must be kept for it."""
    tile, first, width, w = stripe
    columns, count = y.shape[1], len(y) // unit
    zero, rows, targets = numbers_from(1, 1), numbers_from(count, unit * pitch), numbers_from(count, unit * columns)
    places, many, few = share(unit, tile.places)
    same = listed(
        address(w), address(y, first), address(rows), address(targets), many, few, address(zero), 1, inner, pitch,
        columns, width,
    )  # fmt: skip
    return sliding(tile, places, masked=width % tile.elements > 0), address(same), (same, w, zero, rows, targets)


def _multiply(a: Any, calls: list[Any], start: int, distance: int, count: int, *, turned: bool) -> None:
    """Write the product of some rows, ``distance`` elements away from the first of all."""
    if turned:
        made = np.empty(a.shape, a.dtype)
        _copy_turned(a, made)
        a = made
    x = address(a, -distance)
    for call, same, _ in calls:
        call(same, x, start, count)


def _units(rows: int) -> list[tuple[int, int, int]]:
    """Rows in units: the first row, rows of a unit, how many units."""
    whole = rows - rows % _UNIT
    return [each for each in ((0, _UNIT, whole // _UNIT), (whole, rows - whole, 1)) if each[1] and each[2]]


def _stripes(itemsize: int, columns: int) -> list[tuple[Any, int, int]]:
    """Where tiles of full width end and a narrower one begins: tile, first column, how many columns."""
    tile = tile_of(itemsize, columns)
    widest = tile_of(itemsize, 1 << 20)
    whole = columns - columns % widest.elements
    if not 0 < whole < columns:
        return [(tile, 0, columns)]
    return [(widest, 0, whole), (tile_of(itemsize, columns - whole), whole, columns - whole)]


def laid_out(matrices: Any, width: int) -> Any:
    """Matrices (count, rows, columns) in parts of so many columns next to each other: (part, count, rows, width).

    What is missing in the last part is zero.
    """
    count, length, columns = matrices.shape
    laid = np.empty((-(-columns // width), count, length, width), matrices.dtype)
    turned = matrices.strides[1] == matrices.itemsize < matrices.strides[2] and are_possible()
    copy = _copy_turned if turned else _copy

    def work(place: slice) -> None:
        for at in range(place.start, place.stop):
            number, which = divmod(at, count)
            part, target = matrices[which, :, number * width : (number + 1) * width], laid[number, which]
            copy(part, target[:, : part.shape[1]])
            target[:, part.shape[1] :] = 0

    run_blocks(work, places_of(len(laid) * count, length * width * laid.itemsize))
    return laid


def _copy(part: Any, target: Any) -> None:
    target[...] = part


def _copy_turned(part: Any, target: Any) -> None:
    """Copy a matrix whose columns lie in a row each: squares of it, and what is left beside them."""
    call, lanes = turning(part.itemsize)
    length, columns = (size - size % lanes for size in part.shape)
    step, target_step = part.strides[1] // part.itemsize, target.strides[0] // part.itemsize
    call(address(part), address(target), step, target_step, columns, length)
    target[length:] = part[length:]
    target[:length, columns:] = part[:length, columns:]
