"""Products of long vectors with vectors and with numbers, in blocks on several threads.

A product of two vectors is one of pieces, by BLAS, which has no other threads for pieces as short, and a sum of what
these give.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapeviz.backends.blocks import LARGE, into_blocks, run_blocks
from tapeviz.backends.rows import FLOATS, READ_ONCE, places_of_rows

__all__ = ["long_product"]

_LONG: Final = 1 << 18  # elements, from which on there are two blocks
_PIECE: Final = 4096  # elements: from 10,000 on OpenBLAS wakes threads of its own


def long_product(a: Any, b: Any) -> Any | None:
    """The product of matrices that are a long row and a long column, or one of these and a number; else None."""
    if a.__class__ is not np.ndarray or b.__class__ is not np.ndarray or a.dtype is not b.dtype:
        return None
    if a.dtype not in FLOATS or not (a.flags.forc and b.flags.forc):
        return None
    if len(a) == 1 and b.shape[1] == 1 and a.size == b.size >= _LONG:
        return np.full((1, 1), _dot(a.reshape(-1), b.reshape(-1)), a.dtype)
    if a.size == len(b) == 1 and b.size >= LARGE:
        return _scaled(b, a[0, 0])
    return _scaled(a, b[0, 0]) if b.size == a.shape[1] == 1 and a.size >= LARGE else None


def _dot(x: Any, y: Any) -> Any:
    whole = x.size - x.size % _PIECE
    first, second = x[:whole].reshape(-1, _PIECE), y[:whole].reshape(-1, _PIECE)
    sums = np.empty(len(first), x.dtype)
    run_blocks(lambda place: np.vecdot(first[place], second[place], sums[place]), places_of_rows(first, READ_ONCE // 2))
    return np.add.reduce(sums) + np.vecdot(x[whole:], y[whole:])


def _scaled(vector: Any, number: Any) -> Any:
    flat = vector.reshape(-1)
    result = np.empty(flat.size, flat.dtype)
    into_blocks(lambda x, out: np.multiply(x, number, out), flat, result)
    return result.reshape(vector.shape)
