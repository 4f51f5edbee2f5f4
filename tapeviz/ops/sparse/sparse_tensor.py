"""Sparse tensors: the elements that are not 0, each with its place, and what ``tf.sparse`` does with them.

They are made of three tensors, and all that is done with them is done by ops on these: gradients go to the values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.dtypes import DType, as_dtype
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.kernels import recorded_ops as ops
from tapeviz.engine.operators import public
from tapeviz.engine.shapes import TensorShape
from tapeviz.engine.tensor import EagerTensor
from tapeviz.ops.array.cast import cast
from tapeviz.ops.array.concat import concat as concat_dense
from tapeviz.ops.array.concat import stack
from tapeviz.ops.array.creation import ones_like, zeros_like
from tapeviz.ops.array.creation import shape as size_of
from tapeviz.ops.array.gather import gather
from tapeviz.ops.array.reshape import broadcast_to, matrix_transpose
from tapeviz.ops.array.reshape import expand_dims as expand_dense
from tapeviz.ops.array.reshape import reshape as reshape_dense
from tapeviz.ops.array.scatter import gather_nd
from tapeviz.ops.array.select import boolean_mask, where
from tapeviz.ops.array.sort import argsort
from tapeviz.ops.array.tensor_scatter import tensor_scatter_nd_add, tensor_scatter_nd_update
from tapeviz.ops.array.unique import unique
from tapeviz.ops.math.arithmetic import maximum, minimum
from tapeviz.ops.math.complex_numbers import conj
from tapeviz.ops.math.cumulative import cumprod, cumsum
from tapeviz.ops.math.reductions import reduce_all, reduce_prod
from tapeviz.ops.math.reductions import reduce_max as largest_of
from tapeviz.ops.math.reductions import reduce_sum as sum_of
from tapeviz.ops.math.segments import unsorted_segment_max, unsorted_segment_sum

__all__ = [
    "SparseTensor", "SparseTensorSpec", "add", "concat", "expand_dims", "eye", "from_dense", "map_values",
    "reduce_max", "reduce_sum", "reorder", "reshape", "retain", "slice", "sparse_dense_matmul", "to_dense",
    "to_indicator", "transpose",
]  # fmt: skip

_INT64: Final = np.dtype(np.int64)


class SparseTensor:
    """The elements of a tensor that are not 0, each with its place.

    Args:
        indices: the place of each, one a row, in the order of the elements in memory (see :func:`reorder`).
        values: the elements.
        dense_shape: the shape of the whole.

    Raises:
        ValueError: these do not fit together.

    >>> import tapeviz as tf
    >>> tf.sparse.to_dense(tf.sparse.SparseTensor([[0, 1], [1, 0]], [7, 8], [2, 2])).numpy()
    array([[0, 7],
           [8, 0]], dtype=int32)
    """

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        self.indices: Any = _whole(indices)
        self.values: Any = convert_to_tensor(values)
        self.dense_shape: Any = _whole(dense_shape)
        places, elements = self.indices.shape.with_rank(2), self.values.shape.with_rank(1)
        sizes = self.dense_shape.shape.with_rank(1)
        for ours, theirs in ((places[:1], elements), (places[1:], sizes)):
            if not ours.is_compatible_with(theirs):
                raise ValueError(f"Dimensions {ours[0]} and {theirs[0]} are not compatible")

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> SparseTensor:
        """The sparse tensor of what has ``indices``, ``values`` and ``dense_shape``."""
        return cls(sparse_tensor_value.indices, sparse_tensor_value.values, sparse_tensor_value.dense_shape)

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole; its rank alone where the sizes come with a graph's run."""
        sizes = self.dense_shape
        if sizes.__class__ is EagerTensor:
            return TensorShape(tuple(map(int, sizes._host())))
        return TensorShape([None] * sizes.shape[0] if sizes.shape[0] is not None else None)

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self.values.dtype  # type: ignore[no-any-return]

    def get_shape(self) -> TensorShape:
        """The same as ``shape``."""
        return self.shape

    def with_values(self, new_values: Any) -> SparseTensor:
        """Other elements at the same places."""
        return SparseTensor(self.indices, new_values, self.dense_shape)

    def __tf_flatten__(self) -> tuple[tuple[()], tuple[Any, ...]]:
        return (), (self.indices, self.values, self.dense_shape)

    @classmethod
    def __tf_unflatten__(cls, _metadata: Any, tensors: Sequence[Any]) -> SparseTensor:
        return cls(*tensors)

    def _apply_op(self, op: Any, inputs: Sequence[Any], attrs: dict[str, Any]) -> SparseTensor:
        """A function of the elements that there are; another op takes no sparse tensors."""
        if op.family == "elementwise" and len(inputs) == 1:
            return self.with_values(op.run(self.values, **attrs))
        raise ValueError(
            f"Attempt to convert a value ({self!r}) with an unsupported type ({type(self)}) to a Tensor: {op.tf_name} "
            "takes dense tensors; tf.sparse.to_dense gives one"
        )

    def _beside(self, other: Any) -> Any:
        """The elements of a dense tensor at the places of these, broadcast."""
        return gather_nd(broadcast_to(convert_to_tensor(other, dtype_hint=self.dtype), self.dense_shape), self.indices)

    def __mul__(self, other: Any) -> SparseTensor:
        return self.with_values(self.values * self._beside(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> SparseTensor:
        return self.with_values(self.values / self._beside(other))

    def __repr__(self) -> str:
        # Not in an f-string: tensors format as arrays do.
        parts = (("indices", self.indices), ("values", self.values), ("dense_shape", self.dense_shape))
        return "SparseTensor(" + ", ".join(name + "=" + str(tensor) for name, tensor in parts) + ")"


public["sparse_tensor"] = SparseTensor


class SparseTensorSpec:
    """Shape and dtype of a sparse tensor, without a value.

    >>> import tapeviz as tf
    >>> tf.SparseTensorSpec([None, 2], tf.int32)
    SparseTensorSpec(TensorShape([None, 2]), tf.int32)
    """

    def __init__(self, shape: Any = None, dtype: Any = "float32") -> None:
        self.shape: TensorShape = TensorShape(shape)
        self.dtype: DType = as_dtype(dtype)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SparseTensorSpec) and (self.shape, self.dtype) == (other.shape, other.dtype)

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))

    def __repr__(self) -> str:
        return f"SparseTensorSpec({self.shape!r}, {self.dtype!r})"


def _whole(numbers: Any) -> Any:
    """A tensor of int64, of numbers or of a tensor."""
    return cast(numbers, _INT64) if hasattr(numbers, "dtype") else convert_to_tensor(numbers, dtype="int64")


def _of_spread(spread: Any, sizes: Any) -> Any:
    """The places, one a row, of elements by their numbers in memory."""
    strides = _strides(sizes)
    return expand_dense(spread, 1) // strides % sizes


def _strides(sizes: Any) -> Any:
    return cumprod(sizes, exclusive=True, reverse=True)


def _spread(sp: SparseTensor) -> Any:
    """The number in memory of each element."""
    return sum_of(sp.indices * _strides(sp.dense_shape), 1)


def from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """The elements of a tensor that are not 0.

    >>> import tapeviz as tf
    >>> tf.sparse.from_dense([0, 3, 0]).indices.numpy()
    array([[1]])
    """
    tensor = convert_to_tensor(tensor)
    nothing = b"" if tensor.dtype == "string" else np.zeros((), tensor.dtype.numpy)
    places = where(ops.not_equal(tensor, convert_to_tensor(nothing, dtype=tensor.dtype)))
    return SparseTensor(places, gather_nd(tensor, places), size_of(tensor, "int64"))


def to_dense(
    sp_input: Any, default_value: Any = None, validate_indices: bool = True, name: str | None = None
) -> EagerTensor:
    """The whole tensor.

    Args:
        sp_input: a sparse tensor.
        default_value: what stands where there is no element: 0, or an empty string, unless given.
        validate_indices: whether the places have to be in order, each once.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: a place is outside of the shape, out of order, or there twice.

    >>> import tapeviz as tf
    >>> tf.sparse.to_dense(tf.sparse.SparseTensor([[1]], [5], [3])).numpy()
    array([0, 5, 0], dtype=int32)
    """
    if hasattr(sp_input, "row_splits"):
        sp_input = sp_input.to_sparse()
    _check_places(sp_input, in_order=validate_indices)
    blank = (b"" if sp_input.dtype == "string" else 0) if default_value is None else default_value
    whole = broadcast_to(convert_to_tensor(blank, dtype=sp_input.dtype), sp_input.dense_shape)
    return tensor_scatter_nd_update(whole, sp_input.indices, sp_input.values)  # type: ignore[no-any-return]


def _check_places(sp: SparseTensor, *, in_order: bool) -> None:
    """Say what is wrong with places, where they are known."""
    if sp.indices.__class__ is not EagerTensor:
        return
    places, sizes = sp.indices._host(), sp.dense_shape._host()
    for at in np.flatnonzero(((places < 0) | (places >= sizes)).any(1))[:1]:
        where_to = ",".join(map(str, sizes.tolist()))
        raise InvalidArgumentError(
            f"indices[{at}] = {_bracketed(places[at])} is out of bounds: need 0 <= index < [{where_to}]"
        )
    steps = np.diff(_spread(sp)._host())
    for at in np.flatnonzero(steps <= 0)[:1] if in_order else ():
        wrong = "is repeated" if steps[at] == 0 else (
            "is out of order. Many sparse ops require sorted indices.\n    Use `tf.sparse.reorder` to create a "
            "correctly ordered copy."
        )  # fmt: skip
        raise InvalidArgumentError(f"indices[{at + 1}] = {_bracketed(places[at + 1])} {wrong}")


def _bracketed(place: np.ndarray) -> str:
    return f"[{','.join(map(str, place.tolist()))}]"


def reorder(sp_input: SparseTensor, name: str | None = None) -> SparseTensor:
    """The same elements in the order of a tensor's in memory.

    >>> import tapeviz as tf
    >>> tf.sparse.reorder(tf.sparse.SparseTensor([[1], [0]], [5, 6], [2])).values.numpy()
    array([6, 5], dtype=int32)
    """
    order = argsort(_spread(sp_input), stable=True)
    return SparseTensor(gather(sp_input.indices, order), gather(sp_input.values, order), sp_input.dense_shape)


def add(a: Any, b: Any, threshold: Any = 0) -> Any:
    """The sum of two sparse tensors, or the dense one of a sparse and a dense tensor.

    Args:
        a: a sparse or dense tensor.
        b: a sparse or dense tensor.
        threshold: what is smaller than that, without its sign, is left out of a sparse sum; 0 keeps all.

    >>> import tapeviz as tf
    >>> one = tf.sparse.SparseTensor([[1]], [5], [3])
    >>> tf.sparse.to_dense(tf.sparse.add(one, one)).numpy()
    array([ 0, 10,  0], dtype=int32)
    """
    if not isinstance(a, SparseTensor) or not isinstance(b, SparseTensor):
        sparse, dense = (a, b) if isinstance(a, SparseTensor) else (b, a)
        return tensor_scatter_nd_add(convert_to_tensor(dense, dtype=sparse.dtype), sparse.indices, sparse.values)
    places, elements = concat_dense([a.indices, b.indices], 0), concat_dense([a.values, b.values], 0)
    both = reorder(SparseTensor(places, elements, a.dense_shape))
    spread, numbers = unique(_spread(both))
    total = SparseTensor(
        _of_spread(spread, a.dense_shape), unsorted_segment_sum(both.values, numbers, size_of(spread)[0]),
        a.dense_shape,
    )  # fmt: skip
    if isinstance(threshold, (int, float)) and not threshold:
        return total
    return retain(total, ops.greater_equal(ops.abs(total.values), threshold))


def sparse_dense_matmul(
    sp_a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None
) -> Any:
    """The product of a sparse and a dense matrix, in either order.

    Args:
        sp_a: a matrix.
        b: a matrix.
        adjoint_a: whether to take the first one's conjugate transpose.
        adjoint_b: the same of the second one.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the inner sizes differ.

    >>> import tapeviz as tf
    >>> tf.sparse.sparse_dense_matmul(tf.sparse.eye(2), tf.constant([[1.0], [2.0]])).numpy()
    array([[1.],
           [2.]], dtype=float32)
    """
    if isinstance(b, SparseTensor):
        return matrix_transpose(sparse_dense_matmul(b, sp_a, not adjoint_b, not adjoint_a), conjugate=True)
    dense = convert_to_tensor(b)
    dense = matrix_transpose(dense, conjugate=True) if adjoint_b else dense
    values = conj(sp_a.values) if adjoint_a else sp_a.values
    row, column = (1, 0) if adjoint_a else (0, 1)
    sizes, known = sp_a.dense_shape, sp_a.shape
    if known[column] is not None and dense.shape[0] not in (None, known[column]):
        raise InvalidArgumentError(
            "Cannot multiply A and B because inner dimension does not match: "
            f"{known[column]} vs. {dense.shape[0]}.  Did you forget a transpose?  Dimensions of A: "
            f"[{known[row]}, {known[column]}).  Dimensions of B: [{dense.shape[0]},{dense.shape[1]}]"
        )
    rows = gather(dense, sp_a.indices[:, column]) * expand_dense(values, 1)
    return unsorted_segment_sum(rows, sp_a.indices[:, row], sizes[row])


def concat(
    axis: int, sp_inputs: Sequence[SparseTensor], expand_nonconcat_dims: bool = False, name: str | None = None
) -> SparseTensor:
    """Sparse tensors one after the other along an axis.

    Args:
        axis: the axis.
        sp_inputs: sparse tensors.
        expand_nonconcat_dims: whether the other sizes may differ; the largest is taken.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the other sizes differ.

    >>> import tapeviz as tf
    >>> one = tf.sparse.SparseTensor([[1]], [5], [3])
    >>> tf.sparse.concat(0, [one, one]).indices.numpy().tolist()
    [[1], [4]]
    """
    rank = sp_inputs[0].shape.rank or 0
    here = np.arange(rank) == axis % rank
    sizes = stack([one.dense_shape for one in sp_inputs])
    lengths = sizes[:, axis]
    begins = cumsum(lengths, exclusive=True)
    if not expand_nonconcat_dims and sizes.__class__ is EagerTensor:
        others = sizes._host()[:, ~here]
        if (others != others[0]).any():
            raise InvalidArgumentError(f"Concat shapes do not match along axes other than {axis}: {sizes._host()}")
    moved = [one.indices + here.astype(np.int64) * begins[place] for place, one in enumerate(sp_inputs)]
    largest = largest_of(sizes, 0)
    whole = where(here, sum_of(lengths, 0), largest)
    return reorder(SparseTensor(concat_dense(moved, 0), concat_dense([one.values for one in sp_inputs], 0), whole))


def retain(sp_input: SparseTensor, to_retain: Any) -> SparseTensor:
    """The elements for which ``to_retain`` is true, in the same shape.

    >>> import tapeviz as tf
    >>> tf.sparse.retain(tf.sparse.eye(2), [False, True]).indices.numpy()
    array([[1, 1]])
    """
    kept = convert_to_tensor(to_retain, dtype="bool")
    return SparseTensor(boolean_mask(sp_input.indices, kept), boolean_mask(sp_input.values, kept), sp_input.dense_shape)


def slice(sp_input: SparseTensor, start: Any, size: Any, name: str | None = None) -> SparseTensor:
    """A part of a sparse tensor, from ``start`` on, of ``size`` or as far as the tensor goes.

    >>> import tapeviz as tf
    >>> tf.sparse.slice(tf.sparse.eye(3), [1, 1], [2, 5]).indices.numpy().tolist()
    [[0, 0], [1, 1]]
    """
    begin = _whole(start)
    end = minimum(begin + _whole(size), sp_input.dense_shape)
    inside = ops.logical_and(ops.greater_equal(sp_input.indices, begin), ops.less(sp_input.indices, end))
    part = retain(sp_input, reduce_all(inside, 1))
    return SparseTensor(part.indices - begin, part.values, maximum(end - begin, 0))


def map_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> SparseTensor:
    """A function of the elements of sparse tensors whose places are the same.

    >>> import tapeviz as tf
    >>> tf.sparse.map_values(tf.add, tf.sparse.eye(2), 5.0).values.numpy()
    array([6., 6.], dtype=float32)
    """
    first = next(one for one in [*args, *kwargs.values()] if isinstance(one, SparseTensor))
    plain = [one.values if isinstance(one, SparseTensor) else one for one in args]
    named = {name: one.values if isinstance(one, SparseTensor) else one for name, one in kwargs.items()}
    return first.with_values(op(*plain, **named))


def transpose(sp_input: SparseTensor, perm: Any = None, name: str | None = None) -> SparseTensor:
    """The axes in another order: that of ``perm``, or from the last to the first.

    >>> import tapeviz as tf
    >>> tf.sparse.transpose(tf.sparse.SparseTensor([[0, 2]], [1], [2, 3])).indices.numpy()
    array([[2, 0]])
    """
    order = np.arange(sp_input.shape.rank or 0)[::-1] if perm is None else np.asarray(perm)
    return reorder(
        SparseTensor(gather(sp_input.indices, order, axis=1), sp_input.values, gather(sp_input.dense_shape, order))
    )


def reshape(sp_input: SparseTensor, shape: Any, name: str | None = None) -> SparseTensor:
    """The same elements in another shape, in which one size may be -1.

    >>> import tapeviz as tf
    >>> tf.sparse.reshape(tf.sparse.eye(2), [4]).indices.numpy().tolist()
    [[0], [3]]
    """
    wanted = _whole(shape)
    count = reduce_prod(sp_input.dense_shape, 0)
    others = reduce_prod(ops.abs(wanted), 0)  # that of -1 is 1
    wanted = where(ops.equal(wanted, -1), count // others, wanted)
    return SparseTensor(_of_spread(_spread(sp_input), wanted), sp_input.values, wanted)


def expand_dims(sp_input: SparseTensor, axis: int = -1, name: str | None = None) -> SparseTensor:
    """One more axis, of size 1.

    >>> import tapeviz as tf
    >>> tf.sparse.expand_dims(tf.sparse.eye(2), 0).shape
    TensorShape([1, 2, 2])
    """
    at = axis % ((sp_input.shape.rank or 0) + 1)
    places, sizes = sp_input.indices, sp_input.dense_shape
    column = zeros_like(places[:, :1])
    whole = concat_dense([sizes[:at], convert_to_tensor([1], dtype="int64"), sizes[at:]], 0)
    return SparseTensor(concat_dense([places[:, :at], column, places[:, at:]], 1), sp_input.values, whole)


def eye(num_rows: int, num_columns: int | None = None, dtype: Any = "float32", name: str | None = None) -> SparseTensor:
    """The identity matrix.

    >>> import tapeviz as tf
    >>> tf.sparse.to_dense(tf.sparse.eye(1, 2)).numpy()
    array([[1., 0.]], dtype=float32)
    """
    columns = num_rows if num_columns is None else num_columns
    diagonal = np.arange(min(num_rows, columns))
    return SparseTensor(np.stack([diagonal, diagonal], 1), np.ones(len(diagonal), as_dtype(dtype).numpy),
                        [num_rows, columns])  # fmt: skip


def reduce_sum(
    sp_input: SparseTensor, axis: Any = None, keepdims: bool | None = None, output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Sums along axes, dense unless ``output_is_sparse``; along all where ``axis`` is None.

    >>> import tapeviz as tf
    >>> tf.sparse.reduce_sum(tf.sparse.eye(2), 0).numpy()
    array([1., 1.], dtype=float32)
    """
    return _reduced(unsorted_segment_sum, sp_input, axis, bool(keepdims), output_is_sparse)


def reduce_max(
    sp_input: SparseTensor, axis: Any = None, keepdims: bool | None = None, output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:  # fmt: skip
    """The largest of the elements that there are along axes; 0 where there are none. Arguments as of `reduce_sum`.

    >>> import tapeviz as tf
    >>> tf.sparse.reduce_max(tf.sparse.SparseTensor([[0, 1]], [-5], [2, 2]), 1).numpy()
    array([-5,  0], dtype=int32)
    """
    return _reduced(unsorted_segment_max, sp_input, axis, bool(keepdims), output_is_sparse)


def _reduced(combine: Any, sp: SparseTensor, axis: Any, keepdims: bool, output_is_sparse: bool) -> Any:
    rank = sp.shape.rank or 0
    gone = {int(one) % rank for one in (range(rank) if axis is None else np.atleast_1d(axis))}
    kept = [at for at in range(rank) if at not in gone]
    sizes = gather(sp.dense_shape, np.array(kept, np.int64))
    places = SparseTensor(gather(sp.indices, np.array(kept, np.int64), axis=1), sp.values, sizes)
    count, spread = reduce_prod(sizes, 0), _spread(places)
    found = combine(sp.values, spread, count)
    there = unsorted_segment_sum(ones_like(spread), spread, count)
    found = where(ops.greater(there, 0), found, zeros_like(found))
    whole = [sp.dense_shape[at] if at in kept else 1 for at in range(rank) if at in kept or keepdims]
    dense = reshape_dense(found, whole)
    return from_dense(dense) if output_is_sparse else dense


def to_indicator(sp_input: SparseTensor, vocab_size: int, name: str | None = None) -> Any:
    """Truth values in the place of the last axis: whether a number is among the elements of its row.

    >>> import tapeviz as tf
    >>> tf.sparse.to_indicator(tf.sparse.SparseTensor([[0, 0]], tf.constant([1], tf.int64), [1, 1]), 3).numpy()
    array([[False,  True, False]])
    """
    places = concat_dense([sp_input.indices[:, :-1], expand_dense(_whole(sp_input.values), 1)], 1)
    sizes = concat_dense([sp_input.dense_shape[:-1], convert_to_tensor([vocab_size], dtype="int64")], 0)
    blank = broadcast_to(convert_to_tensor(False), sizes)
    return tensor_scatter_nd_update(blank, places, ones_like(places[:, 0], dtype="bool"))
