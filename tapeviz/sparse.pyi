# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from collections.abc import Callable as _Callable
from collections.abc import Sequence as _Sequence
from typing import Any as _Any

from tapeviz.engine.annotations import DTypeLike as _DTypeLike
from tapeviz.engine.annotations import ShapeLike as _ShapeLike
from tapeviz.engine.annotations import TensorLike as _TensorLike
from tapeviz.engine.tensor import EagerTensor as _EagerTensor
from tapeviz.engine.tensor import Tensor as _Tensor
from tapeviz.ops.sparse.sparse_tensor import SparseTensor

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

def add(a: _TensorLike, b: _TensorLike, threshold: _TensorLike = 0) -> _Tensor:
    """The sum of two sparse tensors, or the dense one of a sparse and a dense tensor."""

def concat(
    axis: int, sp_inputs: _Sequence[SparseTensor], expand_nonconcat_dims: bool = False, name: str | None = None
) -> SparseTensor:
    """Sparse tensors one after the other along an axis."""

def expand_dims(sp_input: SparseTensor, axis: int = -1, name: str | None = None) -> SparseTensor:
    """One more axis, of size 1."""

def eye(
    num_rows: int, num_columns: int | None = None, dtype: _DTypeLike = "float32", name: str | None = None
) -> SparseTensor:
    """The identity matrix."""

def from_dense(tensor: _TensorLike, name: str | None = None) -> SparseTensor:
    """The elements of a tensor that are not 0."""

def map_values(op: _Callable[..., _Any], *args: _Any, **kwargs: _Any) -> SparseTensor:
    """A function of the elements of sparse tensors whose places are the same."""

def reduce_max(
    sp_input: SparseTensor,
    axis: _TensorLike | None = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> _Tensor:
    """The largest of the elements that there are along axes; 0 where there are none. Arguments as of `reduce_sum`."""

def reduce_sum(
    sp_input: SparseTensor,
    axis: _TensorLike | None = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> _Tensor:
    """Sums along axes, dense unless ``output_is_sparse``; along all where ``axis`` is None."""

def reorder(sp_input: SparseTensor, name: str | None = None) -> SparseTensor:
    """The same elements in the order of a tensor's in memory."""

def reshape(sp_input: SparseTensor, shape: _ShapeLike, name: str | None = None) -> SparseTensor:
    """The same elements in another shape, in which one size may be -1."""

def retain(sp_input: SparseTensor, to_retain: _TensorLike) -> SparseTensor:
    """The elements for which ``to_retain`` is true, in the same shape."""

def slice(sp_input: SparseTensor, start: _TensorLike, size: _ShapeLike, name: str | None = None) -> SparseTensor:
    """A part of a sparse tensor, from ``start`` on, of ``size`` or as far as the tensor goes."""

def sparse_dense_matmul(
    sp_a: _TensorLike, b: _TensorLike, adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None
) -> _Tensor:
    """The product of a sparse and a dense matrix, in either order."""

def to_dense(
    sp_input: _TensorLike,
    default_value: _TensorLike | None = None,
    validate_indices: bool = True,
    name: str | None = None,
) -> _EagerTensor:
    """The whole tensor."""

def to_indicator(sp_input: SparseTensor, vocab_size: int, name: str | None = None) -> _Tensor:
    """Truth values in the place of the last axis: whether a number is among the elements of its row."""

def transpose(sp_input: SparseTensor, perm: _TensorLike | None = None, name: str | None = None) -> SparseTensor:
    """The axes in another order: that of ``perm``, or from the last to the first."""
