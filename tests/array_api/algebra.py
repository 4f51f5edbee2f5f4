"""The standard's linear algebra, in tapeviz's ops."""

from __future__ import annotations

import builtins
from typing import Any, NamedTuple

import numpy as np

import tapeviz as tf
from tests.array_api.arrays import Array, cast, promoted
from tests.array_api.elementwise import abs as absolute
from tests.array_api.reductions import matmul, matrix_transpose, sum, tensordot, vecdot  # noqa: A004 - the standard's

__all__ = [
    "cholesky", "cross", "det", "diagonal", "eigh", "eigvalsh", "inv", "matmul", "matrix_norm", "matrix_power",
    "matrix_rank", "matrix_transpose", "outer", "pinv", "qr", "slogdet", "solve", "svd", "svdvals", "tensordot",
    "trace", "vecdot", "vector_norm",
]  # fmt: skip


class Eigen(NamedTuple):
    """What ``eigh`` gives."""

    eigenvalues: Array
    eigenvectors: Array


class Factors(NamedTuple):
    """What ``qr`` gives."""

    Q: Array
    R: Array


class Determinant(NamedTuple):
    """What ``slogdet`` gives."""

    sign: Array
    logabsdet: Array


class Singular(NamedTuple):
    """What ``svd`` gives."""

    U: Array
    S: Array
    Vh: Array


def cholesky(x: Array, /, *, upper: builtins.bool = False) -> Array:
    found = tf.linalg.cholesky(x.tensor)
    return Array(tf.linalg.adjoint(found) if upper else found)


def cross(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    (a, b), _dtype = promoted(x1, x2)
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError("a cross product takes vectors of three")
    (a0, a1, a2), (b0, b1, b2) = (tf.unstack(t, num=3, axis=axis) for t in (a, b))
    return Array(tf.stack([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0], axis=axis))


def det(x: Array, /) -> Array:
    return Array(tf.linalg.det(x.tensor))


def diagonal(x: Array, /, *, offset: int = 0) -> Array:
    rows, columns = x.shape[-2:]
    first, last = max(0, -offset), min(rows, columns - offset)
    flat = tf.reshape(x.tensor, [*x.shape[:-2], rows * columns])
    places = [row * columns + row + offset for row in range(first, last)]
    return Array(tf.gather(flat, tf.constant(places, tf.int64), axis=-1))


def eigh(x: Array, /) -> Eigen:
    return Eigen(*map(Array, tf.linalg.eigh(x.tensor)))


def eigvalsh(x: Array, /) -> Array:
    found = tf.linalg.eigvalsh(x.tensor)
    return Array(tf.math.real(found) if found.dtype.is_complex else found)


def inv(x: Array, /) -> Array:
    return Array(tf.linalg.inv(x.tensor))


def matrix_norm(x: Array, /, *, keepdims: builtins.bool = False, ord: Any = "fro") -> Array:
    size = absolute(x).tensor
    if ord in ("fro", 2, -2, "nuc"):
        if ord == "fro":
            found = tf.sqrt(tf.reduce_sum(size * size, axis=[-2, -1]))
        else:
            values = svdvals(x).tensor
            found = {2: tf.reduce_max, -2: tf.reduce_min, "nuc": tf.reduce_sum}[ord](values, axis=-1)
    else:
        along = -2 if builtins.abs(ord) == 1 else -1
        totals = tf.reduce_sum(size, axis=along)
        found = (tf.reduce_max if ord > 0 else tf.reduce_min)(totals, axis=-1)
    return Array(found[..., None, None] if keepdims else found)


def matrix_power(x: Array, n: int, /) -> Array:
    base = tf.linalg.inv(x.tensor) if n < 0 else x.tensor
    found = tf.eye(x.shape[-1], batch_shape=list(x.shape[:-2]), dtype=x.dtype)
    for _ in range(builtins.abs(n)):
        found = tf.matmul(found, base)
    return Array(found)


def matrix_rank(x: Array, /, *, rtol: Any = None) -> Array:
    values = svdvals(x).tensor
    largest = tf.reduce_max(values, axis=-1, keepdims=True)
    share = max(x.shape[-2:]) * 2.0 ** -(23 if values.dtype == tf.float32 else 52) if rtol is None else rtol
    share = cast(share, values.dtype)[..., None] if isinstance(share, Array) else tf.constant(share, values.dtype)
    return Array(tf.reduce_sum(tf.cast(values > largest * share, tf.int64), axis=-1))


def outer(x1: Array, x2: Array, /) -> Array:
    (a, b), _dtype = promoted(x1, x2)
    return Array(a[:, None] * b[None, :])


def pinv(x: Array, /, *, rtol: Any = None) -> Array:
    real = tf.math.real(x.tensor).dtype if x.dtype.is_complex else x.dtype
    return Array(tf.linalg.pinv(x.tensor, cast(rtol, real) if isinstance(rtol, Array) else rtol))


def qr(x: Array, /, *, mode: str = "reduced") -> Factors:
    return Factors(*map(Array, tf.linalg.qr(x.tensor, full_matrices=mode == "complete")))


def slogdet(x: Array, /) -> Determinant:
    sign, size = tf.linalg.slogdet(x.tensor)
    return Determinant(Array(sign), Array(tf.math.real(size) if size.dtype.is_complex else size))


def solve(x1: Array, x2: Array, /) -> Array:
    (a, b), _dtype = promoted(x1, x2)
    columns = b[:, None] if x2.ndim == 1 else b
    batch = np.broadcast_shapes(x1.shape[:-2], tuple(columns.shape)[:-2])
    matrices = tf.broadcast_to(a, [*batch, *x1.shape[-2:]])
    found = tf.linalg.solve(matrices, tf.broadcast_to(columns, [*batch, *columns.shape[-2:]]))
    return Array(found[..., 0] if x2.ndim == 1 else found)


def svd(x: Array, /, *, full_matrices: builtins.bool = True) -> Singular:
    s, u, v = tf.linalg.svd(x.tensor, full_matrices=full_matrices)
    return Singular(Array(u), Array(s), Array(tf.linalg.adjoint(v)))


def svdvals(x: Array, /) -> Array:
    return Array(tf.linalg.svd(x.tensor, compute_uv=False))


def trace(x: Array, /, *, offset: int = 0, dtype: Any = None) -> Array:
    return sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)


def vector_norm(x: Array, /, *, axis: Any = None, keepdims: builtins.bool = False, ord: Any = 2) -> Array:
    size = absolute(x).tensor
    if ord == float("inf"):
        return Array(tf.reduce_max(size, axis=axis, keepdims=keepdims))
    if ord == -float("inf"):
        return Array(tf.reduce_min(size, axis=axis, keepdims=keepdims))
    if ord == 0:
        counted = tf.cast(tf.not_equal(size, tf.zeros_like(size)), size.dtype)
        return Array(tf.reduce_sum(counted, axis=axis, keepdims=keepdims))
    total = tf.reduce_sum(tf.pow(size, tf.constant(ord, size.dtype)), axis=axis, keepdims=keepdims)
    return Array(tf.pow(total, tf.constant(1.0 / ord, size.dtype)))
