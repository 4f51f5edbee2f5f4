"""The standard's functions on shapes, positions, order and sets, in tapeviz's ops."""

from __future__ import annotations

import builtins
from typing import Any, NamedTuple

import numpy as np

import tapeviz as tf
from tests.array_api.arrays import DTYPES, Array, cast, promoted, result_type

INDEX = DTYPES["int64"]


def broadcast_arrays(*arrays: Array) -> list[Array]:
    shape = np.broadcast_shapes(*(x.shape for x in arrays))
    return [broadcast_to(x, shape) for x in arrays]


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    return np.broadcast_shapes(*shapes)


def broadcast_to(x: Array, /, shape: tuple[int, ...]) -> Array:
    return Array(tf.broadcast_to(x.tensor, shape))


def concat(arrays: Any, /, *, axis: int | None = 0) -> Array:
    dtype = result_type(*arrays)
    tensors = [cast(x, dtype) for x in arrays]
    if axis is None:
        return Array(tf.concat([tf.reshape(t, [-1]) for t in tensors], 0))
    return Array(tf.concat(tensors, axis))


def expand_dims(x: Array, /, axis: int = 0) -> Array:
    if not -x.ndim - 1 <= axis <= x.ndim:
        raise IndexError(f"axis {axis} is out of range")
    return Array(tf.expand_dims(x.tensor, axis))


def flip(x: Array, /, *, axis: Any = None) -> Array:
    axes = range(x.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    return Array(tf.reverse(x.tensor, [one % x.ndim for one in axes])) if x.ndim else x


def moveaxis(x: Array, source: Any, destination: Any, /) -> Array:
    source, destination = (
        [one % x.ndim for one in ((axes,) if isinstance(axes, int) else axes)] for axes in (source, destination)
    )
    order = [i for i in range(x.ndim) if i not in source]
    for to, origin in sorted(zip(destination, source, strict=True)):
        order.insert(to, origin)
    return permute_dims(x, tuple(order))


def permute_dims(x: Array, /, axes: tuple[int, ...]) -> Array:
    return Array(tf.transpose(x.tensor, [axis % x.ndim for axis in axes]))


def repeat(x: Array, repeats: Any, /, *, axis: int | None = None) -> Array:
    times = cast(repeats, INDEX) if isinstance(repeats, Array) else repeats
    return Array(tf.repeat(x.tensor, times, axis=axis))


def reshape(x: Array, /, shape: tuple[int, ...], *, copy: Any = None) -> Array:
    return Array(tf.reshape(x.tensor, shape))


def roll(x: Array, /, shift: Any, *, axis: Any = None) -> Array:
    if axis is None:
        return Array(tf.reshape(tf.roll(tf.reshape(x.tensor, [-1]), shift, 0), x.shape))
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    shifts = (shift,) * len(axes) if isinstance(shift, int) else tuple(shift)
    return Array(tf.roll(x.tensor, list(shifts), list(axes)))


def squeeze(x: Array, /, axis: Any) -> Array:
    axes = [axis] if isinstance(axis, int) else list(axis)
    if any(x.shape[one] != 1 for one in axes):
        raise ValueError("an axis to squeeze must be of size 1")
    return Array(tf.squeeze(x.tensor, axes)) if axes else x


def stack(arrays: Any, /, *, axis: int = 0) -> Array:
    dtype = result_type(*arrays)
    return Array(tf.stack([cast(x, dtype) for x in arrays], axis))


def tile(x: Array, repetitions: tuple[int, ...], /) -> Array:
    rank = max(x.ndim, len(repetitions))
    shape = [1] * (rank - x.ndim) + list(x.shape)
    times = [1] * (rank - len(repetitions)) + list(repetitions)
    return Array(tf.tile(tf.reshape(x.tensor, shape), times))


def unstack(x: Array, /, *, axis: int = 0) -> tuple[Array, ...]:
    return tuple(Array(part) for part in tf.unstack(x.tensor, axis=axis))


def take(x: Array, indices: Array, /, *, axis: int | None = None) -> Array:
    axis = 0 if axis is None else axis
    positions = cast(indices, INDEX)
    size = tf.constant(x.shape[axis], INDEX)
    return Array(tf.gather(x.tensor, tf.where(positions < 0, positions + size, positions), axis=axis))


def take_along_axis(x: Array, indices: Array, /, *, axis: int = -1) -> Array:
    axis %= x.ndim
    outer = np.broadcast_shapes(*(tuple(1 if i == axis else s for i, s in enumerate(a.shape)) for a in (x, indices)))
    whole, places = (
        tf.broadcast_to(t, [a.shape[axis] if i == axis else size for i, size in enumerate(outer)])
        for a, t in ((x, x.tensor), (indices, cast(indices, INDEX)))
    )
    size = tf.constant(x.shape[axis], INDEX)
    places = tf.where(places < 0, places + size, places)
    order = [i for i in range(x.ndim) if i != axis] + [axis]
    whole, places = tf.transpose(whole, order), tf.transpose(places, order)
    found = tf.gather(whole, places, axis=x.ndim - 1, batch_dims=x.ndim - 1)
    return Array(tf.transpose(found, [order.index(i) for i in range(x.ndim)]))


def _place(function: Any, x: Array, axis: int | None, keepdims: builtins.bool) -> Array:
    if axis is None:
        found = function(tf.reshape(x.tensor, [-1]), axis=0)
        return Array(tf.reshape(found, [1] * x.ndim) if keepdims else found)
    found = function(x.tensor, axis=axis)
    return Array(tf.expand_dims(found, axis) if keepdims else found)


def argmax(x: Array, /, *, axis: int | None = None, keepdims: builtins.bool = False) -> Array:
    return _place(tf.argmax, x, axis, keepdims)


def argmin(x: Array, /, *, axis: int | None = None, keepdims: builtins.bool = False) -> Array:
    return _place(tf.argmin, x, axis, keepdims)


def nonzero(x: Array, /) -> tuple[Array, ...]:
    places = tf.where(tf.not_equal(x.tensor, tf.zeros_like(x.tensor)))
    return tuple(Array(part) for part in tf.unstack(places, axis=1))


def searchsorted(x1: Array, x2: Any, /, *, side: str = "left", sorter: Array | None = None) -> Array:
    if sorter is not None:
        x1 = take(x1, sorter)
    (row, values), _dtype = promoted(x1, x2)
    found = tf.searchsorted(row, tf.reshape(values, [-1]), side=side, out_type=INDEX)
    return Array(tf.reshape(found, values.shape))


def where(condition: Array, x1: Any, x2: Any, /) -> Array:
    tensors, _dtype = promoted(x1, x2)
    return Array(tf.where(condition.tensor, *tensors))


def argsort(x: Array, /, *, axis: int = -1, descending: builtins.bool = False, stable: builtins.bool = True) -> Array:
    direction = "DESCENDING" if descending else "ASCENDING"
    return Array(tf.cast(tf.argsort(x.tensor, axis=axis, direction=direction, stable=stable), INDEX))


def sort(x: Array, /, *, axis: int = -1, descending: builtins.bool = False, stable: builtins.bool = True) -> Array:
    return Array(tf.sort(x.tensor, axis=axis, direction="DESCENDING" if descending else "ASCENDING"))


class Everything(NamedTuple):
    """What ``unique_all`` gives."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class Counts(NamedTuple):
    """What ``unique_counts`` gives."""

    values: Array
    counts: Array


class Inverse(NamedTuple):
    """What ``unique_inverse`` gives."""

    values: Array
    inverse_indices: Array


def unique_all(x: Array, /) -> Everything:
    flat = tf.reshape(x.tensor, [-1])
    values, inverse, counts = tf.unique_with_counts(flat, out_idx=INDEX)
    first = tf.argsort(inverse, stable=True)
    starts = tf.cumsum(counts, exclusive=True)
    indices = tf.cast(tf.gather(first, starts), INDEX)
    return Everything(Array(values), Array(indices), Array(tf.reshape(inverse, x.shape)), Array(counts))


def unique_counts(x: Array, /) -> Counts:
    found = unique_all(x)
    return Counts(found.values, found.counts)


def unique_inverse(x: Array, /) -> Inverse:
    found = unique_all(x)
    return Inverse(found.values, found.inverse_indices)


def unique_values(x: Array, /) -> Array:
    return unique_all(x).values
