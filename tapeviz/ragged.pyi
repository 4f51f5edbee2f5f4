# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from collections.abc import Callable as _Callable
from typing import Any as _Any

from tapeviz.engine.annotations import DTypeLike as _DTypeLike
from tapeviz.engine.annotations import TensorLike as _TensorLike
from tapeviz.ops.array.ragged_tensor import RaggedTensor as _RaggedTensor

__all__ = ["constant", "map_flat_values", "stack"]

def constant(
    pylist: _TensorLike,
    dtype: _DTypeLike | None = None,
    ragged_rank: _TensorLike | None = None,
    inner_shape: _TensorLike | None = None,
    name: str | None = None,
    row_splits_dtype: _TensorLike = "int64",
) -> _RaggedTensor:
    """A ragged tensor of lists."""

def map_flat_values(op: _Callable[..., _Any], *args: _Any, **kwargs: _Any) -> _RaggedTensor:
    """A function of the elements of ragged tensors, in the rows of the first one."""

def stack(values: _TensorLike, axis: int = 0, name: str | None = None) -> _RaggedTensor:
    """Vectors of different lengths as the rows of a ragged tensor."""
