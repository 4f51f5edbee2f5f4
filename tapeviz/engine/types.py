"""Sets of dtypes that ops take."""

from __future__ import annotations

from typing import Final

import numpy as np

__all__ = ["BOOL", "FLOATS", "INDEXES", "INTEGERS", "NUMBERS", "REALS", "REAL_FLOATS"]

FLOATS: Final = frozenset(map(np.dtype, ("float16", "float32", "float64", "complex64", "complex128")))
INTEGERS: Final = frozenset(
    map(np.dtype, ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"))
)
NUMBERS: Final = FLOATS | INTEGERS
REALS: Final = frozenset(dtype for dtype in NUMBERS if dtype.kind != "c")
REAL_FLOATS: Final = frozenset(dtype for dtype in FLOATS if dtype.kind == "f")
INDEXES: Final = frozenset(map(np.dtype, ("int32", "int64", "uint8")))
BOOL: Final = frozenset([np.dtype(np.bool_)])
