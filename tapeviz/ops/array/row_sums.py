"""Adding up rows that go to the same place: scatter-add."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapeviz.backends.libraries import library

__all__ = ["row_sums"]

_LEAST: Final = 4096  # elements, from which on the matrix is worth making
_REAL: Final = {
    np.dtype(dtype): np.dtype(real) for dtype, real in (("f4", "f4"), ("f8", "f8"), ("c8", "f4"), ("c16", "f8"))
}


def row_sums(xp: Any, rows: Any, positions: Any, count: int) -> Any | None:
    """For each of ``count`` places the sum of the rows that go there, in their order; None where sorting is faster.

    The rows are multiplied by a sparse matrix with a single one in each column, which SciPy does in one pass over them.
    Sorting the places, and adding up runs of them, takes ten to forty times as long.
    """
    if xp is not np or rows.size < _LEAST or rows.dtype not in _REAL:
        return None
    # A complex number times one has a NaN where it is infinite: its two parts are rows of their own.
    real = np.ascontiguousarray(np.reshape(rows, (len(rows), -1))).view(_REAL[rows.dtype])
    ones, ends = np.ones(len(rows), real.dtype), np.arange(len(rows) + 1)
    one_in_each = library(np, "sparse").csr_matrix((ones, positions, ends), shape=(len(rows), count))
    return np.reshape((one_in_each.T @ real).view(rows.dtype), (count, *rows.shape[1:]))
