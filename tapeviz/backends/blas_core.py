"""For which processor the BLAS of NumPy has its code."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

__all__ = ["is_for_older_processors"]

_NEW: Final = frozenset((b"SkylakeX", b"Cooperlake", b"Sapphirerapids"))  # with vectors of 64 bytes


@cache
def is_for_older_processors() -> bool:
    """Whether NumPy came with OpenBLAS, and this uses code for vectors shorter than those of AVX-512.

    So it is where ``OPENBLAS_CORETYPE`` says so, and on processors that are newer than OpenBLAS. Of another BLAS
    nothing is known.
    """
    for path in (Path(np.__file__).parents[1] / "numpy.libs").glob("*openblas64_*"):
        core = getattr(ctypes.CDLL(str(path)), "scipy_openblas_get_corename64_", None)
        if core is not None:
            core.restype = ctypes.c_char_p
            return core() not in _NEW
    return False
