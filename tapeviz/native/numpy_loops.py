"""NumPy's own inner loops: the machine code behind a ufunc for certain dtypes.

A program that calls them computes what NumPy computes, to the bit, without the way there by Python: NumPy's ``exp``,
its sums in its order, its products of matrices by its BLAS.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from tapeviz.native.machine import HEAD

__all__ = ["loop_of", "sums_as_expected"]


@cache
def loop_of(ufunc: Any, dtypes: tuple[np.dtype, ...]) -> tuple[int, int] | None:
    """The addresses of a ufunc's loop for exactly these dtypes and of the loop's data; None where there is none."""
    wanted = tuple(dtype.num for dtype in dtypes)
    for number, found in enumerate(_types(ufunc)):
        if tuple(found) == wanted:
            functions, data = (ctypes.c_void_p * 2).from_address(id(ufunc) + HEAD + 16)
            function = (ctypes.c_void_p * ufunc.ntypes).from_address(functions or 0)[number]
            more = (ctypes.c_void_p * ufunc.ntypes).from_address(data)[number] if data else 0
            return (function, more or 0) if function else None
    return None


def _types(ufunc: Any) -> Sequence[Sequence[int]]:
    """The numbers of the dtypes of each loop, where the layout of a ufunc is the one that NumPy's headers have."""
    place = id(ufunc) + HEAD
    nin, nout, nargs = (ctypes.c_int * 3).from_address(place)
    count = ctypes.c_int.from_address(place + 32).value
    if (nin, nout, nargs, count) != (ufunc.nin, ufunc.nout, ufunc.nargs, ufunc.ntypes):
        return ()
    first = ctypes.c_void_p.from_address(place + 48).value
    if not first:
        return ()
    flat = (ctypes.c_byte * (count * nargs)).from_address(first)
    return [flat[row * nargs : row * nargs + nargs] for row in range(count)]


@cache
def sums_as_expected() -> bool:
    """Whether NumPy sums a row by one call of its loop, which begins with zero: the rounding depends on it."""
    numbers = np.random.default_rng(0).normal(size=(2, 700))
    return all(_summed(row[:count]) == np.add.reduce(row[:count]) for row in numbers for count in (1, 5, 9, 130, 700))


def _summed(row: np.ndarray) -> float:
    loop = loop_of(np.add, (row.dtype,) * 3)
    if loop is None:
        return math.nan
    total = np.zeros((), row.dtype)
    function = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(loop[0])
    arrays = (ctypes.c_void_p * 3)(total.ctypes.data, row.ctypes.data, total.ctypes.data)
    sizes, strides = (ctypes.c_ssize_t * 1)(row.size), (ctypes.c_ssize_t * 3)(0, row.itemsize, 0)
    function(ctypes.addressof(arrays), ctypes.addressof(sizes), ctypes.addressof(strides), loop[1])
    return float(total)
