"""The standard's statistics and products of matrices, in tapeviz's ops."""

from __future__ import annotations

import builtins
from typing import Any

import tapeviz as tf
from tests.array_api.arrays import BOOL, DTYPES, INTEGER, Array, cast, promoted


def _accumulated(x: Array, dtype: Any) -> Any:
    """Return a tensor in the dtype that sums are taken in: at least the default one of its kind."""
    if dtype is None:
        dtype = x.dtype
        if dtype.is_unsigned and dtype.size < INTEGER.size:
            dtype = DTYPES["uint32"]
        elif dtype.is_integer and dtype.size < INTEGER.size:
            dtype = INTEGER
    return cast(x, dtype)


def sum(x: Array, /, *, axis: Any = None, dtype: Any = None, keepdims: builtins.bool = False) -> Array:
    return Array(tf.reduce_sum(_accumulated(x, dtype), axis=axis, keepdims=keepdims))


def prod(x: Array, /, *, axis: Any = None, dtype: Any = None, keepdims: builtins.bool = False) -> Array:
    return Array(tf.reduce_prod(_accumulated(x, dtype), axis=axis, keepdims=keepdims))


def max(x: Array, /, *, axis: Any = None, keepdims: builtins.bool = False) -> Array:
    return Array(tf.reduce_max(x.tensor, axis=axis, keepdims=keepdims))


def min(x: Array, /, *, axis: Any = None, keepdims: builtins.bool = False) -> Array:
    return Array(tf.reduce_min(x.tensor, axis=axis, keepdims=keepdims))


def mean(x: Array, /, *, axis: Any = None, keepdims: builtins.bool = False) -> Array:
    return Array(tf.reduce_mean(x.tensor, axis=axis, keepdims=keepdims))


def var(x: Array, /, *, axis: Any = None, correction: float = 0.0, keepdims: builtins.bool = False) -> Array:
    found = tf.math.reduce_variance(x.tensor, axis=axis, keepdims=keepdims)
    count = x.size // (found.shape.num_elements() or 1) if x.size else 0
    if correction and count:
        found = found * tf.constant(count, x.dtype) / tf.constant(builtins.max(count - correction, 0), x.dtype)
    return Array(found)


def std(x: Array, /, *, axis: Any = None, correction: float = 0.0, keepdims: builtins.bool = False) -> Array:
    return Array(tf.sqrt(var(x, axis=axis, correction=correction, keepdims=keepdims).tensor))


def _cumulative(function: Any, x: Array, axis: int | None, dtype: Any, initial: Any) -> Array:
    tensor = _accumulated(x, dtype)
    axis = 0 if axis is None else axis
    found = function(tensor, axis=axis)
    if initial is None:
        return Array(found)
    shape = list(x.shape)
    shape[axis] = 1
    return Array(tf.concat([tf.fill(shape, tf.constant(initial, found.dtype)), found], axis))


def cumulative_sum(
    x: Array, /, *, axis: int | None = None, dtype: Any = None, include_initial: builtins.bool = False
) -> Array:
    return _cumulative(tf.cumsum, x, axis, dtype, 0 if include_initial else None)


def cumulative_prod(
    x: Array, /, *, axis: int | None = None, dtype: Any = None, include_initial: builtins.bool = False
) -> Array:
    return _cumulative(tf.math.cumprod, x, axis, dtype, 1 if include_initial else None)


def _truth(x: Array) -> Any:
    return x.tensor if x.dtype == BOOL else tf.not_equal(x.tensor, tf.zeros_like(x.tensor))


def all(x: Array, /, *, axis: Any = None, keepdims: builtins.bool = False) -> Array:
    return Array(tf.reduce_all(_truth(x), axis=axis, keepdims=keepdims))


def any(x: Array, /, *, axis: Any = None, keepdims: builtins.bool = False) -> Array:
    return Array(tf.reduce_any(_truth(x), axis=axis, keepdims=keepdims))


def count_nonzero(x: Array, /, *, axis: Any = None, keepdims: builtins.bool = False) -> Array:
    return Array(tf.reduce_sum(tf.cast(_truth(x), tf.int64), axis=axis, keepdims=keepdims))


def diff(x: Array, /, *, axis: int = -1, n: int = 1, prepend: Any = None, append: Any = None) -> Array:
    parts = [one for one in (prepend, x, append) if one is not None]
    tensor = tf.concat([cast(part, x.dtype) for part in parts], axis)
    size = tensor.shape[axis]
    for step in range(n):
        later = tf.range(1, builtins.max(size - step, 1), dtype=tf.int64)
        tensor = tf.gather(tensor, later, axis=axis) - tf.gather(tensor, later - 1, axis=axis)
    return Array(tensor)


def matmul(x1: Array, x2: Array, /) -> Array:
    (a, b), _dtype = promoted(x1, x2)
    if not x1.ndim or not x2.ndim:
        raise ValueError("a product of matrices takes no scalars")
    row, column = x1.ndim == 1, x2.ndim == 1
    found = tf.matmul(a[None, :] if row else a, b[:, None] if column else b)
    found = found[..., 0] if column else found
    return Array(found[..., 0] if row and column else found[..., 0, :] if row else found)


def matrix_transpose(x: Array, /) -> Array:
    return x.mT


def tensordot(x1: Array, x2: Array, /, *, axes: Any = 2) -> Array:
    (a, b), _dtype = promoted(x1, x2)
    return Array(tf.tensordot(a, b, axes if isinstance(axes, int) else [list(one) for one in axes]))


def vecdot(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    (a, b), dtype = promoted(x1, x2)
    if x1.shape[axis] != x2.shape[axis]:
        raise ValueError("sizes along the axis differ")
    return Array(tf.reduce_sum((tf.math.conj(a) if dtype.is_complex else a) * b, axis=axis))


def _matmul_in_place(self: Array, other: Array, /) -> Array:
    self.tensor = matmul(self, other).tensor
    return self


Array.__matmul__ = matmul
Array.__rmatmul__ = lambda self, other: matmul(other, self)
Array.__imatmul__ = _matmul_in_place
