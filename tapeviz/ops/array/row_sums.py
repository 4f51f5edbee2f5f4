"""Adding up rows that go to the same place: scatter-add."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from tapeviz.backends.libraries import library

__all__ = ["add_rows", "row_sums"]

_LEAST: Final = 4096  # elements, from which on sorting takes longer, and rows are worth importing SciPy for
_REAL: Final = {
    np.dtype(dtype): np.dtype(real) for dtype, real in (("f4", "f4"), ("f8", "f8"), ("c8", "f4"), ("c16", "f8"))
}


def row_sums(xp: Any, rows: Any, positions: Any, count: int) -> Any | None:
    """For each of ``count`` places the sum of the rows that go there, in their order; None where sorting is faster."""
    if not _has_a_way(xp, rows):
        return None
    whole = np.zeros((count, *rows.shape[1:]), rows.dtype)
    add_rows(xp, whole, rows, positions)
    return whole


def add_rows(xp: Any, whole: Any, rows: Any, positions: Any, sign: int = 1) -> bool:
    """Add rows to those of an array that ``positions`` name, one after the other; with a sign of -1 subtract them.

    Single numbers are added by NumPy's ``add.at``, and rows of them as a product with a sparse matrix that has a single
    one in each column, by the function that SciPy has for it: sorting the places, and adding up runs of them, takes
    ten to ninety times as long. Whether it was done: False, and nothing changed, where sorting is faster.
    """
    if not _has_a_way(xp, rows):
        return False
    if rows.ndim == 1:
        (np.add if sign > 0 else np.subtract).at(whole, positions, rows)
    elif rows.size:
        _add_products(whole, rows, positions, sign)
    return True


def _has_a_way(xp: Any, rows: Any) -> bool:
    if xp is not np or rows.size < _LEAST:
        return False
    return rows.dtype in _REAL or (rows.ndim == 1 and rows.dtype.kind in "iu")  # half precision is added up in single


def _add_products(whole: Any, rows: Any, positions: Any, sign: int) -> None:
    count, many = len(whole), len(rows)
    positions = np.ascontiguousarray(positions, np.int64)
    # What is written to is memory: a place outside must never get there.
    if positions.view(np.uint64).max() >= count:
        raise IndexError(f"a row goes to none of {count} places")
    # A complex number times one has a NaN where it is infinite: its two parts are columns of their own.
    real = _REAL[rows.dtype]
    given = np.ascontiguousarray(rows).view(real).reshape(-1)
    signs, ends = np.full(many, sign, real), np.arange(many + 1, dtype=np.int64)
    width = math.prod(rows.shape[1:]) * (rows.dtype.itemsize // real.itemsize)
    multiply = library(np, "sparse")._sparsetools.csc_matvecs
    multiply(count, many, width, ends, positions, signs, given, whole.view(real).reshape(-1))
