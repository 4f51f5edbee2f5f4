"""Products of small matrices in pieces that BLAS multiplies on the thread that asks.

OpenBLAS has all its threads take part from some multiplications on. Where another program is on their cores the caller
waits for a slice of the system's time, some milliseconds, for a product that takes ten microseconds. Up to a few times
as many multiplications a product is therefore one of pieces, rows that are too few for that. Which pieces follows from
the shapes alone, and so do the numbers: with one thread and with two BLAS adds up in different orders.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

__all__ = ["is_product_in_pieces", "product_in_pieces", "rows_of_pieces"]

_ONE_THREAD: Final = 262_144  # multiplications up to which OpenBLAS has no other thread take part
_PIECES: Final = 4


def is_product_in_pieces(rows: int, second: int) -> bool:
    """Whether a matrix of so many rows is multiplied in pieces with one of ``second`` numbers."""
    return _ONE_THREAD < rows * second <= _PIECES * _ONE_THREAD


def rows_of_pieces(rows: int, second: int) -> int:
    """How many rows of the first matrix a piece has."""
    return -(-rows // -(-rows * second // _ONE_THREAD))


def product_in_pieces(a: Any, b: Any, out: Any = None) -> Any:
    """The product of two matrices, for which :func:`is_product_in_pieces` holds."""
    rows = len(a)
    found = np.empty((rows, b.shape[1]), np.result_type(a, b)) if out is None else out
    step = rows_of_pieces(rows, b.size)
    for first in range(0, rows, step):
        np.matmul(a[first : first + step], b, found[first : first + step])  # dot copies rows of a turned matrix
    return found
