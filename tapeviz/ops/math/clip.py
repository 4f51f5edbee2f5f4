"""Clipping by norm: a gradient that is too long keeps its direction and loses length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.indexed_slices import IndexedSlices
from tapeviz.engine.kernels import recorded_ops as ops

__all__ = ["clip_by_global_norm", "clip_by_norm", "global_norm"]


def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Any:
    """``t``, scaled to the Euclidean norm ``clip_norm`` where its own is larger.

    Args:
        t: floating-point numbers of any shape, or indexed slices, which then are clipped as they are.
        clip_norm: the greatest norm allowed; below 0 it counts as 0.
        axes: the axes that make up one norm; by default all of them.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: ``t`` is not floating-point, or ``clip_norm`` does not broadcast with it.

    >>> import tapeviz as tf
    >>> tf.clip_by_norm([[3.0, 4.0], [0.3, 0.4]], 1.0, axes=[1]).numpy()
    array([[0.6, 0.8],
           [0.3, 0.4]], dtype=float32)
    """
    values = _values(t)
    limit = ops.maximum(convert_to_tensor(clip_norm, dtype=values.dtype), 0)
    axis = tuple(axes) if isinstance(axes, list) else axes
    total = ops.reduce_sum(ops.multiply(values, values), axis, True)
    # The square root has no slope at 0, so none is taken there.
    positive = ops.greater(total, 0)
    norm = ops.where(positive, ops.sqrt(ops.where(positive, total, ops.ones_like(total))), total)
    return _like(t, ops.divide(ops.multiply(values, limit), ops.maximum(norm, limit)))


def _values(item: Any) -> Any:
    return convert_to_tensor(item.values if isinstance(item, IndexedSlices) else item)


def _like(item: Any, values: Any) -> Any:
    """The values as indexed slices where they came as such."""
    return IndexedSlices(values, item.indices, item.dense_shape) if isinstance(item, IndexedSlices) else values


def global_norm(t_list: Any, name: str | None = None) -> Any:
    """The Euclidean norm of all the elements of all the tensors together.

    Args:
        t_list: tensors or indexed slices; None among them counts as nothing.
        name: accepted as TensorFlow does.

    Raises:
        TypeError: ``t_list`` is not a sequence of tensors.

    >>> import tapeviz as tf
    >>> tf.linalg.global_norm([tf.constant([3.0]), None, tf.constant(4.0)]).numpy()
    np.float32(5.0)
    """
    values = [None if item is None else _values(item) for item in _sequence(t_list)]
    squares = [ops.reduce_sum(ops.square(value), None, False) for value in values if value is not None]
    if not squares:
        return convert_to_tensor(0.0)
    return ops.sqrt(ops.reduce_sum(ops.stack(*squares, axis=0), None, False))


def clip_by_global_norm(t_list: Any, clip_norm: Any, use_norm: Any = None, name: str | None = None) -> Any:
    """The tensors, all scaled by one factor so that their global norm is at most ``clip_norm``.

    Args:
        t_list: tensors or indexed slices; None stays None.
        clip_norm: the greatest norm allowed.
        use_norm: the norm of them together, where it is known already.
        name: accepted as TensorFlow does.

    Returns:
        The list of clipped tensors, and the norm that they had. All are nan when that was not finite.

    Raises:
        TypeError: ``t_list`` is not a sequence of tensors.

    >>> import tapeviz as tf
    >>> clipped, norm = tf.clip_by_global_norm([tf.constant([3.0]), tf.constant([4.0])], 1.0)
    >>> [c.numpy().tolist() for c in clipped], norm.numpy()
    ([[0.6000000238418579], [0.800000011920929]], np.float32(5.0))
    """
    items = _sequence(t_list)
    norm = global_norm(items) if use_norm is None else convert_to_tensor(use_norm)
    limit = convert_to_tensor(clip_norm, dtype=norm.dtype)
    scale = ops.multiply(limit, ops.minimum(ops.divide(1.0, norm), ops.divide(1.0, limit)))
    # Infinity minus infinity is nan, which then shows in every element.
    scale = ops.add(scale, ops.subtract(norm, norm))
    return [None if item is None else _like(item, ops.multiply(_values(item), scale)) for item in items], norm


def _sequence(t_list: Any) -> list[Any]:
    if not isinstance(t_list, Sequence) or isinstance(t_list, str):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(t_list)}.")
    return list(t_list)
