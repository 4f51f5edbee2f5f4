"""Sets of dtypes that ops take. Complex numbers stand apart: an op that takes them says so."""

from __future__ import annotations

from typing import Final

import ml_dtypes
import numpy as np

__all__ = ["BFLOAT16", "BOOL", "COMPLEXES", "DIFFERENTIABLE", "FIELDS", "FLOATS", "INDEXES", "INTEGERS", "NUMBERS",
           "SIGNED", "UNUSUAL"]  # fmt: skip

BFLOAT16: Final = np.dtype(ml_dtypes.bfloat16)
FLOATS: Final = frozenset([*map(np.dtype, ("float16", "float32", "float64")), BFLOAT16])
INTEGERS: Final = frozenset(map(np.dtype, ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")))
NUMBERS: Final = FLOATS | INTEGERS
SIGNED: Final = frozenset(dtype for dtype in NUMBERS if dtype.kind != "u")
INDEXES: Final = frozenset(map(np.dtype, ("uint8", "int16", "int32", "int64")))
COMPLEXES: Final = frozenset(map(np.dtype, ("complex64", "complex128")))
FIELDS: Final = FLOATS | COMPLEXES
"""What can be divided."""
DIFFERENTIABLE: Final = FIELDS
"""What has gradients."""
UNUSUAL: Final = COMPLEXES | {BFLOAT16}
"""What ops compute by a longer way (:mod:`tapeviz.engine.unusual`), so that the usual ways need not ask."""
BOOL: Final = frozenset([np.dtype(np.bool_)])
