# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.engine.annotations import TensorLike as _TensorLike
from tapeviz.engine.tensor import Tensor as _Tensor
from tapeviz.ops.sparse.sparse_tensor import SparseTensor as _SparseTensor

__all__ = ["difference", "intersection", "size", "union"]

def difference(a: _TensorLike, b: _TensorLike, aminusb: bool = True, validate_indices: bool = True) -> _SparseTensor:
    """The elements of one set and not of the other, row by row, in order. Arguments as for :func:`union`."""

def intersection(a: _TensorLike, b: _TensorLike, validate_indices: bool = True) -> _SparseTensor:
    """The elements of both sets, row by row, in order. Arguments as for :func:`union`."""

def size(a: _TensorLike, validate_indices: bool = True) -> _Tensor:
    """How many elements the set in each row has, as int32."""

def union(a: _TensorLike, b: _TensorLike, validate_indices: bool = True) -> _SparseTensor:
    """The elements of either set, row by row, in order."""
