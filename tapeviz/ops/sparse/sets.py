"""``tf.sets``: the last axis of a tensor as a set, row by row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.ops.sparse.sparse_tensor import SparseTensor

__all__ = ["difference", "intersection", "size", "union"]

_Row = tuple[int, ...]


def _rows(given: Any) -> tuple[tuple[int, ...], dict[_Row, set[Any]], np.dtype[Any]]:
    """The sizes of all axes but the last, the set in each row that has elements, and the dtype."""
    if isinstance(given, SparseTensor):
        sizes = tuple(given.dense_shape.numpy().tolist())[:-1]
        places, values = given.indices.numpy()[:, :-1].tolist(), given.values.numpy()
    else:
        array = convert_to_tensor(given).numpy()
        sizes = array.shape[:-1]
        places = np.argwhere(np.ones(array.shape, bool))[:, :-1].tolist()
        values = array.ravel()
    if not sizes:
        raise InvalidArgumentError("Sets need two axes or more, the last of which is the set", "SetOperation")
    rows: dict[_Row, set[Any]] = {}
    for place, value in zip(places, values.tolist(), strict=True):
        rows.setdefault(tuple(place), set()).add(value)
    return sizes, rows, values.dtype


def _combined(a: Any, b: Any, combine: Callable[[set[Any], set[Any]], set[Any]]) -> SparseTensor:
    (sizes, first, kind), (others, second, _) = _rows(a), _rows(b)
    if sizes != others:
        raise InvalidArgumentError(f"Shapes of all axes but the last must be the same: {sizes} and {others}")
    found = {row: sorted(combine(first.get(row, set()), second.get(row, set()))) for row in np.ndindex(*sizes)}
    places = [(*row, at) for row, values in found.items() for at in range(len(values))]
    widest = max(map(len, found.values()), default=0)
    elements = np.array([value for values in found.values() for value in values], kind)
    return SparseTensor(np.array(places, np.int64).reshape(-1, len(sizes) + 1), elements, [*sizes, widest])


def union(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """The elements of either set, row by row, in order.

    Args:
        a: a tensor or sparse tensor, whose last axis is a set.
        b: one of the same shape but for the last axis.
        validate_indices: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the shapes differ in another axis, or there is only one.

    >>> import tapeviz as tf
    >>> tf.sparse.to_dense(tf.sets.union([[1, 5, 9]], [[5, 6]])).numpy()
    array([[1, 5, 6, 9]], dtype=int32)
    """
    return _combined(a, b, set.union)


def intersection(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """The elements of both sets, row by row, in order. Arguments as for :func:`union`.

    >>> import tapeviz as tf
    >>> tf.sparse.to_dense(tf.sets.intersection([[1, 5, 9]], [[5, 6]])).numpy()
    array([[5]], dtype=int32)
    """
    return _combined(a, b, set.intersection)


def difference(a: Any, b: Any, aminusb: bool = True, validate_indices: bool = True) -> SparseTensor:
    """The elements of one set and not of the other, row by row, in order. Arguments as for :func:`union`.

    ``aminusb=False`` gives those of ``b`` that are not in ``a``.

    >>> import tapeviz as tf
    >>> tf.sparse.to_dense(tf.sets.difference([[1, 5, 9]], [[5, 6]])).numpy()
    array([[1, 9]], dtype=int32)
    """
    return _combined(a, b, set.difference) if aminusb else _combined(b, a, set.difference)


def size(a: Any, validate_indices: bool = True) -> Any:
    """How many elements the set in each row has, as int32.

    >>> import tapeviz as tf
    >>> tf.sets.size(tf.sparse.from_dense([[1, 1, 2], [3, 0, 0]])).numpy()
    array([2, 1], dtype=int32)
    """
    sizes, rows, _ = _rows(a)
    counts = np.zeros(sizes, np.int32)
    for row, values in rows.items():
        counts[row] = len(values)
    return convert_to_tensor(counts)
