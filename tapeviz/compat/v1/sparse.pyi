# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from collections.abc import Sequence as _Sequence
from typing import overload as _overload

from tapeviz.engine.annotations import TensorLike as _TensorLike
from tapeviz.engine.tensor import Tensor as _Tensor
from tapeviz.ops.sparse.sparse_tensor import SparseTensor as _SparseTensor
from tapeviz.sparse import (
    SparseTensor,
    add,
    eye,
    from_dense,
    map_values,
    reorder,
    reshape,
    retain,
    slice,
    sparse_dense_matmul,
    to_dense,
    to_indicator,
    transpose,
)

__all__ = [
    "SparseTensor",
    "add",
    "concat",
    "expand_dims",
    "eye",
    "from_dense",
    "map_values",
    "reduce_max",
    "reduce_sum",
    "reorder",
    "reshape",
    "retain",
    "slice",
    "sparse_dense_matmul",
    "to_dense",
    "to_indicator",
    "transpose",
]

@_overload
def concat(
    axis: int, sp_inputs: _Sequence[_SparseTensor], expand_nonconcat_dims: bool = False, name: str | None = None
) -> _SparseTensor: ...
@_overload
def concat(
    *,
    concat_dim: int,
    sp_inputs: _Sequence[_SparseTensor],
    expand_nonconcat_dims: bool = False,
    name: str | None = None,
) -> _SparseTensor: ...
def expand_dims(
    sp_input: _SparseTensor, axis: int = -1, name: str | None = None, *, dim: int | None = None
) -> _SparseTensor:
    """One more axis, of size 1."""

def reduce_max(
    sp_input: _SparseTensor,
    axis: _TensorLike | None = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
    *,
    keep_dims: bool | None = None,
    reduction_indices: _TensorLike | None = None,
) -> _Tensor:
    """The largest of the elements that there are along axes; 0 where there are none. Arguments as of `reduce_sum`."""

def reduce_sum(
    sp_input: _SparseTensor,
    axis: _TensorLike | None = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
    *,
    keep_dims: bool | None = None,
    reduction_indices: _TensorLike | None = None,
) -> _Tensor:
    """Sums along axes, dense unless ``output_is_sparse``; along all where ``axis`` is None."""
