"""Single elements of tensors: their values where the recording knows them, and their places."""

from __future__ import annotations

import math

import numpy as np

from tapeviz.analysis.graph import Graph

__all__ = ["position", "value_at", "values_of"]


def position(shape: tuple[int, ...], flat: int) -> tuple[int, ...]:
    """The index of an element by its flat number; empty for a scalar or a number out of range."""
    if not shape or not 0 <= flat < math.prod(shape):
        return ()
    return tuple(int(axis) for axis in np.unravel_index(flat, shape))


def value_at(graph: Graph, tensor: int, index: tuple[int, ...]) -> float | None:
    """The element of a tensor (a row) at an index of something it is broadcast to; None where it is not known.

    It is known where the contents were kept, and where all elements are equal.
    """
    shape = graph.shape(tensor)
    if len(shape) > len(index):
        return None
    own = tuple(0 if size == 1 else at for size, at in zip(shape, index[len(index) - len(shape) :], strict=True))
    if any(at >= size for at, size in zip(own, shape, strict=True)):
        return None
    flat = int(np.ravel_multi_index(own, shape)) if shape else 0
    kept = _kept(graph, tensor, flat)
    return _constant(graph, tensor) if kept is None else kept


def values_of(graph: Graph, tensor: int) -> np.ndarray | None:
    """The flat contents of a tensor (a row), None where they were not kept whole."""
    values = graph.recording.values
    rows = np.flatnonzero(values.tensor == graph.recording.tensors.id[tensor])
    dtype = _dtype(graph, tensor)
    if dtype is None or not len(rows) or values.length[rows].sum() != graph.size(tensor):
        return None
    return np.concatenate([np.frombuffer(values.data[row], dtype) for row in rows.tolist()])


def _kept(graph: Graph, tensor: int, flat: int) -> float | None:
    values = graph.recording.values
    of = values.tensor == graph.recording.tensors.id[tensor]
    rows = np.flatnonzero(of & (values.offset <= flat) & (flat < values.offset + values.length))
    dtype = _dtype(graph, tensor)
    if not len(rows) or dtype is None:
        return None
    at = (flat - int(values.offset[rows[0]])) * dtype.itemsize
    data = values.data[rows[0]][at : at + dtype.itemsize]
    return float(np.frombuffer(data, dtype)[0].real) if len(data) == dtype.itemsize else None


def _constant(graph: Graph, tensor: int) -> float | None:
    stats = graph.recording.stats
    row = int(graph.links.stats[tensor])
    if row < 0:
        return None
    bad = [stats.nan[row], stats.posinf[row], stats.neginf[row]]
    if graph.size(tensor) == 1 and any(bad):
        return (math.nan, math.inf, -math.inf)[int(np.argmax(bad))]
    low, high = float(stats.min[row]), float(stats.max[row])
    return low if low == high and not any(bad) else None


def _dtype(graph: Graph, tensor: int) -> np.dtype | None:
    name = graph.dtype(tensor)
    return None if name in ("bfloat16", "string", "?") else np.dtype(name).newbyteorder("<")
