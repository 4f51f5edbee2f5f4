"""The memory that recorded tensors hold, over time."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tapeviz.analysis.graph import Graph
from tapeviz.analysis.links import rows_of

__all__ = ["Curve", "memory_of"]

Curve: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Times in ns and the bytes alive from each on, until the next."""


def memory_of(graph: Graph) -> Curve:
    """The curve of a recording.

    Memory that several tensors share counts once, from the birth of its owner until the last of them is released.
    """
    born, sizes = _births(graph)
    died, freed = _ends(graph)
    times = np.concatenate([born, died])
    # What is born at a time counts before what dies then, or the curve would dip below what was there.
    order = np.argsort(times, kind="stable")
    return times[order], np.cumsum(np.concatenate([sizes, -freed])[order])


def _births(graph: Graph) -> Curve:
    tensors, events = graph.recording.tensors, graph.recording.events
    owners = np.flatnonzero(tensors.storage == tensors.id)
    makers = graph.links.producer[owners]
    made = events.t0 + events.dur
    return np.where(makers >= 0, made[makers] if len(made) else 0.0, 0.0), tensors.nbytes[owners]


def _ends(graph: Graph) -> Curve:
    """When the last tensor of each owner was released."""
    tensors, releases = graph.recording.tensors, graph.recording.releases
    owner = rows_of(tensors.id, tensors.storage)
    sharers = np.bincount(owner[owner >= 0], minlength=graph.tensors)
    rows = graph.links.tensor_rows(releases.tensor)
    known = rows >= 0
    owners, times = owner[rows[known]], releases.t[known]
    owners, times = owners[owners >= 0], times[owners >= 0]
    left = sharers - np.bincount(owners, minlength=graph.tensors)
    last = np.full(graph.tensors, -np.inf)
    np.maximum.at(last, owners, times)
    own = rows_of(tensors.id, tensors.storage) == np.arange(graph.tensors)
    gone = np.flatnonzero((left == 0) & (sharers > 0) & own)
    return last[gone], tensors.nbytes[gone]
