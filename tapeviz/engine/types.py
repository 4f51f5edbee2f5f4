"""Sets of dtypes that ops take. Complex numbers stand apart: an op that takes them says so."""

from __future__ import annotations

from typing import Final

import numpy as np

__all__ = ["BOOL", "COMPLEXES", "FIELDS", "FLOATS", "INDEXES", "INTEGERS", "NUMBERS", "SIGNED"]

FLOATS: Final = frozenset(map(np.dtype, ("float16", "float32", "float64")))
INTEGERS: Final = frozenset(map(np.dtype, ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")))
NUMBERS: Final = FLOATS | INTEGERS
SIGNED: Final = frozenset(dtype for dtype in NUMBERS if dtype.kind != "u")
INDEXES: Final = frozenset(map(np.dtype, ("uint8", "int16", "int32", "int64")))
COMPLEXES: Final = frozenset(map(np.dtype, ("complex64", "complex128")))
FIELDS: Final = FLOATS | COMPLEXES
"""What can be divided."""
BOOL: Final = frozenset([np.dtype(np.bool_)])
