"""Types for annotations: what the public functions take where a tensor, a shape or a dtype is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, SupportsIndex, TypeAlias

import numpy as np

from tapeviz.engine.dtypes import DType
from tapeviz.engine.indexed_slices import IndexedSlices
from tapeviz.engine.shapes import TensorShape
from tapeviz.engine.tensor import Tensor
from tapeviz.engine.variable import Variable

__all__ = ["DTypeLike", "ShapeLike", "SupportsArray", "TensorLike"]


class SupportsArray(Protocol):
    """What NumPy makes an array of: tensors, variables, arrays, tables of pandas."""

    def __array__(self) -> Any: ...


TensorLike: TypeAlias = (
    Tensor | Variable | IndexedSlices | SupportsArray | np.generic | complex | str | bytes | Sequence[Any]
)
"""What :func:`tapeviz.convert_to_tensor` takes."""

DTypeLike: TypeAlias = DType | np.dtype[Any] | type[Any] | str
"""What :func:`tapeviz.as_dtype` takes."""

ShapeLike: TypeAlias = TensorShape | Tensor | np.ndarray[Any, Any] | SupportsIndex | Sequence[Any]
"""Sizes of axes, of which a tensor may hold some or all."""
