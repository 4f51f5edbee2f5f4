"""Sets of dtypes that ops take. Complex numbers stand apart: an op that takes them says so."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import ml_dtypes
import numpy as np

__all__ = [
    "BFLOAT16",
    "BOOL",
    "COMPLEXES",
    "COMPLEX_BFLOAT16",
    "DIFFERENTIABLE",
    "FIELDS",
    "FLOATS",
    "INDEXES",
    "INTEGERS",
    "LIST",
    "LISTS",
    "NUMBERS",
    "SIGNED",
    "with_own_dtype",
]  # fmt: skip

BFLOAT16: Final = np.dtype(ml_dtypes.bfloat16)
FLOATS: Final = frozenset([*map(np.dtype, ("float16", "float32", "float64")), BFLOAT16])
INTEGERS: Final = frozenset(map(np.dtype, ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")))
NUMBERS: Final = FLOATS | INTEGERS
SIGNED: Final = frozenset(dtype for dtype in NUMBERS if dtype.kind != "u")
INDEXES: Final = frozenset(map(np.dtype, ("uint8", "int16", "int32", "int64")))
COMPLEXES: Final = frozenset(map(np.dtype, ("complex64", "complex128")))
FIELDS: Final = FLOATS | COMPLEXES
"""What can be divided."""
BOOL: Final = frozenset([np.dtype(np.bool_)])
LIST: Final = np.dtype([("list", np.object_)])
_DEEPEST: Final = 8


def _lists(dtypes: Iterable[np.dtype]) -> dict[np.dtype, np.dtype]:
    """For each dtype that which stands for lists of it, for each of these that for lists of them, and so on."""
    made = {}
    names = {dtype: dtype.name for dtype in dtypes}
    for _ in range(_DEEPEST):
        lists = {dtype: np.dtype([(f"list of {name}", np.object_)]) for dtype, name in names.items()}
        names = {lists[dtype]: f"list of {name}" for dtype, name in names.items()}
        made.update(lists)
    return made


LISTS: Final = _lists([*NUMBERS, *COMPLEXES, *BOOL, np.dtype(np.object_)])
"""For each dtype that which stands for lists of arrays of it, in graphs, and for lists of lists. No array has one."""
DIFFERENTIABLE: Final = FIELDS | set(_lists(FIELDS).values())
"""What has gradients."""
COMPLEX_BFLOAT16: Final = COMPLEXES | {BFLOAT16}
"""What ops compute by a longer way (:mod:`tapeviz.engine.complex_bfloat16`), so that the usual ways need not ask."""
_OWN: Final[dict[np.dtype, np.dtype]] = {dtype: dtype for dtype in NUMBERS | COMPLEXES | BOOL | {np.dtype(np.object_)}}


def with_own_dtype(array: np.ndarray) -> np.ndarray:
    """``array`` under the one object that stands for its dtype, which ops compare by identity.

    NumPy makes further objects for the same dtype: for arrays that were pickled (by joblib, multiprocessing), for
    dtypes with metadata (h5py), for ``longlong`` beside ``int64``, and for each change of the byte order. An array with
    such a dtype would be refused beside one that has the usual object ("expected to be a float tensor but is a float
    tensor"). So every array passes here where it comes in from outside. No elements are copied unless their bytes are
    swapped.

    >>> import pickle
    >>> import numpy as np
    >>> array = pickle.loads(pickle.dumps(np.ones(2, np.float32)))
    >>> array.dtype is np.dtype(np.float32), with_own_dtype(array).dtype is np.dtype(np.float32)
    (False, True)
    """
    dtype = array.dtype
    own = _OWN.get(dtype)
    if own is dtype:
        return array
    if own is not None:
        return array.view(own)
    if not dtype.isnative and (native := _OWN.get(dtype.newbyteorder("="))) is not None:
        return array.astype(native)
    return array
