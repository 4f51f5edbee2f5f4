"""Functions of ``tf.experimental.numpy`` that are not TensorFlow's own under another name."""

from __future__ import annotations

import builtins
import itertools
import math
from typing import Any

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.ops.array import concat as joined
from tapeviz.ops.array import creation
from tapeviz.ops.array import pad as padded
from tapeviz.ops.array.cast import cast
from tapeviz.ops.array.gather import gather
from tapeviz.ops.array.reshape import reshape, transpose
from tapeviz.ops.math.arithmetic import abs as absolute
from tapeviz.ops.math.complex_numbers import conj

__all__ = [
    "allclose",
    "arange",
    "array",
    "array_equal",
    "asarray",
    "atleast_1d",
    "atleast_2d",
    "diag",
    "dot",
    "empty",
    "empty_like",
    "full",
    "full_like",
    "hstack",
    "identity",
    "inner",
    "isclose",
    "log2",
    "log10",
    "moveaxis",
    "nonzero",
    "ones",
    "outer",
    "pad",
    "ravel",
    "split",
    "swapaxes",
    "take",
    "trace",
    "tril",
    "triu",
    "vdot",
    "vstack",
    "zeros",
]  # fmt: skip

_MATRIX = 2


def array(val: Any, dtype: Any = None, copy: bool = True, ndmin: int = 0) -> Any:
    """A tensor, of NumPy's dtype for Python's numbers.

    >>> import tapeviz as tf
    >>> tf.experimental.numpy.array([1.0, 2.0]).dtype
    tf.float64
    """
    given = convert_to_tensor(val if hasattr(val, "dtype") else np.asarray(val))
    made = given if dtype is None else cast(given, dtype)
    return reshape(made, [*[1] * (ndmin - made.ndim), *made.shape]) if made.ndim < ndmin else made


def asarray(a: Any, dtype: Any = None) -> Any:
    """A tensor: :func:`array`."""
    return array(a, dtype)


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    """Numbers in order, up to but not including ``stop``."""
    return array(np.arange(*((start,) if stop is None else (start, stop, step))), dtype)


def zeros(shape: Any, dtype: Any = "float64") -> Any:
    """Zeros."""
    return creation.zeros(_sizes(shape), dtype)


def ones(shape: Any, dtype: Any = "float64") -> Any:
    """Ones."""
    return creation.ones(_sizes(shape), dtype)


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """A value everywhere."""
    return registry["broadcast_to"].run(array(fill_value, dtype), _sizes(shape))


def full_like(a: Any, fill_value: Any, dtype: Any = None) -> Any:
    """A value everywhere, of the shape and dtype of another tensor."""
    given = array(a)
    return full(given.shape, fill_value, dtype or given.dtype)


def identity(n: int, dtype: Any = "float64") -> Any:
    """The identity matrix."""
    return creation.eye(n, dtype=dtype)


def _sizes(shape: Any) -> Any:
    return [shape] if isinstance(shape, int | np.integer) else tuple(shape)


def ravel(a: Any) -> Any:
    """All elements as a vector."""
    return reshape(array(a), [-1])


def atleast_1d(*arys: Any) -> Any:
    """Tensors with an axis at least."""
    found = [array(one, ndmin=1) for one in arys]
    return found[0] if len(found) == 1 else found


def atleast_2d(*arys: Any) -> Any:
    """Tensors with two axes at least."""
    found = [array(one, ndmin=_MATRIX) for one in arys]
    return found[0] if len(found) == 1 else found


def vstack(tup: Any) -> Any:
    """Tensors below each other."""
    return joined.concat([atleast_2d(one) for one in tup], 0)


def hstack(tup: Any) -> Any:
    """Tensors side by side."""
    parts = [atleast_1d(one) for one in tup]
    return joined.concat(parts, 0 if parts[0].ndim == 1 else 1)


def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    """Axes moved to other places."""
    given = array(a)
    before, after = ([axis % given.ndim for axis in np.atleast_1d(place)] for place in (source, destination))
    order = [axis for axis in range(given.ndim) if axis not in before]
    for place, axis in sorted(zip(after, before, strict=True)):
        order.insert(place, axis)
    return transpose(given, [int(axis) for axis in order])


def swapaxes(a: Any, axis1: int, axis2: int) -> Any:
    """Two axes in each other's place."""
    given = array(a)
    order = list(range(given.ndim))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return transpose(given, order)


def take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "clip") -> Any:
    """The elements, or slices, at indices."""
    return gather(ravel(a) if axis is None else array(a), array(indices), axis=axis or 0)


def dot(a: Any, b: Any) -> Any:
    """The product over the last axis of the first and the one before the last of the second.

    >>> import tapeviz as tf
    >>> tf.experimental.numpy.dot([1.0, 2.0], [3.0, 4.0]).numpy()
    np.float64(11.0)
    """
    first, second = array(a), array(b)
    if not first.ndim or not second.ndim:
        return first * second
    return _contracted(first, second, first.ndim - 1, builtins.max(second.ndim - _MATRIX, 0))


def inner(a: Any, b: Any) -> Any:
    """The product over the last axis of both."""
    first, second = array(a), array(b)
    return _contracted(first, second, first.ndim - 1, second.ndim - 1) if first.ndim and second.ndim else first * second


def isclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Any:
    """Which elements are close."""
    first, second = array(a), array(b)
    near = (absolute(first - second) <= atol + rtol * absolute(second)) | (first == second)
    return near | ((first != first) & (second != second)) if equal_nan else near  # noqa: PLR0124 - NaN alone is not


def diag(v: Any, k: int = 0) -> Any:
    """A matrix with a vector on a diagonal; of a matrix the diagonal.

    >>> import tapeviz as tf
    >>> tf.experimental.numpy.diag([[1, 2], [3, 4]]).numpy()
    array([1, 4])
    """
    given = array(v)
    if given.ndim == 1:
        size = int(given.shape[0]) + builtins.abs(k)
        rows = np.arange(int(given.shape[0])) - builtins.min(k, 0)
        return registry["scatter_nd"].run(np.stack([rows, rows + k], 1), given, (size, size))
    height, width = int(given.shape[0]) + builtins.min(k, 0), int(given.shape[1]) - builtins.max(k, 0)
    size = builtins.max(builtins.min(height, width), 0)
    rows = np.arange(size) - builtins.min(k, 0)
    return registry["gather_nd"].run(given, np.stack([rows, rows + k], 1))


def allclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Any:
    """Whether all elements are close."""
    return registry["reduce_all"].run(isclose(a, b, rtol, atol, equal_nan), axis=None, keepdims=False)


def array_equal(a1: Any, a2: Any) -> Any:
    """Whether both have the same shape and elements."""
    first, second = array(a1), array(a2)
    if first.shape != second.shape:
        return convert_to_tensor(False)
    return registry["reduce_all"].run(first == second, axis=None, keepdims=False)


def empty(shape: Any, dtype: Any = "float64") -> Any:
    """Elements of no meaning: zeros."""
    return zeros(shape, dtype)


def empty_like(a: Any, dtype: Any = None) -> Any:
    """Elements of no meaning, of another tensor's shape."""
    return creation.zeros_like(array(a), dtype)


def _kept(m: Any, k: int, lower: bool) -> Any:
    """A matrix with what is on one side of a diagonal, and zeros elsewhere."""
    given = array(m)
    rows, columns = np.indices([int(size) for size in given.shape[-2:]])
    inside = columns - rows <= k if lower else columns - rows >= k
    return registry["where"].run(inside, given, creation.zeros_like(given))


def tril(m: Any, k: int = 0) -> Any:
    """A matrix with zeros above a diagonal."""
    return _kept(m, k, lower=True)


def triu(m: Any, k: int = 0) -> Any:
    """A matrix with zeros below a diagonal."""
    return _kept(m, k, lower=False)


def nonzero(a: Any) -> Any:
    """The places of the elements that are not 0, axis by axis."""
    return tuple(convert_to_tensor(places) for places in np.nonzero(array(a).numpy()))


def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The sum of a diagonal."""
    given = moveaxis(array(a), (axis1, axis2), (-2, -1))
    rows, columns = np.indices([int(size) for size in given.shape[-2:]])
    on = creation.zeros_like(given)
    return registry["reduce_sum"].run(
        registry["where"].run(columns - rows == offset, given, on), axis=(-2, -1), keepdims=False
    )


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Parts along an axis: equal ones, or cut before the places given."""
    given = array(ary)
    if isinstance(indices_or_sections, int | np.integer):
        return joined.split(given, indices_or_sections, axis)
    size = int(given.shape[axis])
    places = [0, *(int(np.clip(place if place >= 0 else place + size, 0, size)) for place in indices_or_sections), size]
    ends = [builtins.max(start, end) for start, end in itertools.pairwise(places)]
    rest = [slice(None)] * (axis % given.ndim)
    return [given[(*rest, slice(start, end))] for start, end in zip(places[:-1], ends, strict=True)]


def vdot(a: Any, b: Any) -> Any:
    """The product of all elements of both."""
    return registry["reduce_sum"].run(conj(ravel(a)) * ravel(b), axis=None, keepdims=False)


def outer(a: Any, b: Any) -> Any:
    """The product of each element with each."""
    return ravel(a)[:, None] * ravel(b)[None, :]


def _contracted(first: Any, second: Any, own: int, other: int) -> Any:
    shapes = [[size for at, size in enumerate(t.shape) if at != axis] for t, axis in ((first, own), (second, other))]
    left = reshape(moveaxis(first, own, -1), [-1, first.shape[own]])
    right = reshape(moveaxis(second, other, 0), [second.shape[other], -1])
    return reshape(registry["matmul"].run(left, right), [*shapes[0], *shapes[1]])


def log2(x: Any) -> Any:
    """The logarithm to the base 2."""
    return registry["log"].run(array(x)) / math.log(2)


def log10(x: Any) -> Any:
    """The logarithm to the base 10."""
    return registry["log"].run(array(x)) / math.log(10)


def pad(array: Any, pad_width: Any, mode: str = "constant", constant_values: Any = 0) -> Any:
    """More elements at the ends of axes."""
    return padded.pad(array, pad_width, mode.upper(), constant_values)
