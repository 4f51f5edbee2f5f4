"""Norms of vectors and matrices."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.ops.linalg.singular_values import svd
from tapeviz.ops.math.reductions import reduce_max, reduce_sum

__all__ = ["norm", "normalize"]

_MATRIX_NORMS: Final = ("euclidean", "fro", 1, 2, np.inf)


def norm(
    tensor: Any, ord: Any = "euclidean", axis: Any = None, keepdims: bool | None = None, name: str | None = None
) -> Any:
    """The norm of vectors along ``axis``, or of matrices along two axes.

    Args:
        tensor: floating-point or complex numbers of any shape.
        ord: for vectors ``"euclidean"`` (which is 2), 1, infinity or another positive number p: the root of the sum of
            p-th powers. For matrices ``"euclidean"`` or ``"fro"`` (the root of the sum of squares), 1 (the largest
            sum of a column), infinity (of a row) or 2 (the largest singular value).
        axis: one axis of vectors; a pair of axes of matrices; None takes all elements as one vector.
        keepdims: keep the axes with size 1.
        name: accepted as TensorFlow does.

    Raises:
        ValueError: there is no such norm.

    >>> import tapeviz as tf
    >>> tf.norm([[3.0, 4.0], [6.0, 8.0]], axis=1).numpy()
    array([ 5., 10.], dtype=float32)
    """
    axes = _checked(ord, axis)
    tensor = convert_to_tensor(tensor)
    keep = bool(keepdims)
    if axes is not None and len(axes) == 2 and ord == 2:  # noqa: PLR2004 - a matrix and its spectral norm
        return _spectral(tensor, axes, keep)
    if ord in ("euclidean", "fro", 2):
        return _root_of_squares(tensor, axes, keep)
    sizes = registry["abs"].run(tensor) if not tensor.dtype.is_complex else _sizes(tensor)
    if axes is not None and len(axes) == 2:  # noqa: PLR2004
        summed, largest = axes if ord == 1 else axes[::-1]
        sizes = reduce_max(reduce_sum(sizes, (summed,), True), (largest,), True)
        return sizes if keep else registry["squeeze"].run(sizes, axes)
    if ord == math.inf:
        return reduce_max(sizes, axes, keep)
    if ord == 1:
        return reduce_sum(sizes, axes, keep)
    powers = registry["pow"].run
    return powers(reduce_sum(powers(sizes, float(ord)), axes, keep), 1.0 / ord)


def _checked(ord: Any, axis: Any) -> tuple[int, ...] | None:
    """The axes, where there is such a norm."""
    if isinstance(axis, (tuple, list)) and len(axis) == 2:  # noqa: PLR2004 - of matrices
        axes = tuple(axis)
        if not all(isinstance(one, int) for one in axes) or axes[0] == axes[1]:
            raise ValueError(f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axes}")
        if ord not in _MATRIX_NORMS:
            supported = "['euclidean', 'fro', 1, 2, inf]"
            raise ValueError(f"'ord' must be a supported matrix norm in {supported}, got {ord}")
        return axes
    if not (axis is None or isinstance(axis, int)):
        raise ValueError(f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}")
    if ord != "euclidean" and (isinstance(ord, str) or not np.isreal(ord) or ord <= 0):
        raise ValueError(f"'ord' must be a supported vector norm, got {ord}")
    return None if axis is None else (axis,)


def _sizes(tensor: Any) -> Any:
    real, imag = registry["real"].run(tensor), registry["imag"].run(tensor)
    return registry["sqrt"].run(registry["square"].run(real) + registry["square"].run(imag))


def _root_of_squares(tensor: Any, axes: tuple[int, ...] | None, keep: bool) -> Any:
    if not tensor.dtype.is_complex:
        return registry["norm"].run(tensor, axes, keep)
    return registry["sqrt"].run(reduce_sum(tensor * registry["conj"].run(tensor), axes, keep))


def _spectral(tensor: Any, axes: tuple[int, ...], keep: bool) -> Any:
    rank = tensor.ndim
    last = tuple(axis % rank for axis in axes)
    order = (*(axis for axis in range(rank) if axis not in last), *last)
    matrices = registry["transpose"].run(tensor, order)
    found = reduce_max(svd(matrices, compute_uv=False), (-1,))
    if not keep:
        return found
    return registry["reshape"].run(found, tuple(1 if a in last else s for a, s in enumerate(tensor._a.shape)))


def normalize(tensor: Any, ord: Any = "euclidean", axis: Any = None, name: str | None = None) -> tuple[Any, Any]:
    """``tensor`` divided by its norm, and the norm, whose axes are kept with size 1.

    Args:
        tensor: floating-point or complex numbers of any shape.
        ord: which norm, as in ``norm``.
        axis: one axis of vectors; a pair of axes of matrices; None takes all elements as one vector.
        name: accepted as TensorFlow does.

    Raises:
        ValueError: there is no such norm.

    >>> import tapeviz as tf
    >>> unit, length = tf.linalg.normalize([3.0, 4.0])
    >>> unit.numpy(), length.numpy()
    (array([0.6, 0.8], dtype=float32), array([5.], dtype=float32))
    """
    tensor = convert_to_tensor(tensor)
    length = norm(tensor, ord, axis, keepdims=True)
    return tensor / registry["cast"].run(length, tensor.dtype.numpy), length
