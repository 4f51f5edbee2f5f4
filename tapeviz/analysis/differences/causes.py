"""Which differences are there because of earlier ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tapeviz.analysis.graph import Graph

__all__ = ["Side", "causes"]


@dataclass(frozen=True)
class Side:
    """One recording's part in the rows.

    Attributes:
        graph: its graph.
        events: for each row its event, -1 for none.
        arrived: the rows that are about a tensor which came in, by that tensor.
        gradients: for each row that is about a gradient the tensor that it is.
    """

    graph: Graph
    events: NDArray[np.int64]
    arrived: Mapping[int, int]
    gradients: Mapping[int, int]

    @cached_property
    def earlier(self) -> dict[int, int]:
        """For each gradient that is a sum the sum before it."""
        return _earlier_sums(self.graph)

    def row_of_event(self) -> list[int]:
        """For each event the last row that is about it, -1 for none."""
        found = np.full(self.graph.events, -1)
        rows = np.flatnonzero(self.events >= 0)
        found[self.events[rows]] = rows
        return found.tolist()


def causes(
    sides: Sequence[Side], material: NDArray[np.bool_], alone: NDArray[np.bool_], hidden: NDArray[np.bool_]
) -> list[int]:
    """For each row the first row that it inherits its difference from, -1 for none.

    Args:
        sides: both recordings.
        material: which rows differ.
        alone: which are of one side only: those inherit from their like alone, for what goes in makes no op come or go.
        hidden: which are about values that were not kept: what goes into them differing goes on.
    """
    places = [side.row_of_event() for side in sides]
    producers = [side.graph.links.producer.tolist() for side in sides]
    root, found = [-1] * len(material), [-1] * len(material)
    differs, single = material.tolist(), alone.tolist()
    for row in np.flatnonzero(material | hidden).tolist():
        sources = (
            source
            for side, place, producer in zip(sides, places, producers, strict=True)
            for source in _sources(side, row, place, producer)
            if source != row and root[source] >= 0 and (not single[row] or single[source])
        )
        cause = min((root[source] for source in sources), default=-1)
        found[row] = cause if differs[row] else -1
        root[row] = cause if cause >= 0 or not differs[row] else row
    return found


def _sources(side: Side, row: int, place: list[int], producer: list[int]) -> Iterator[int]:
    """The rows that are about what went into a row."""
    event = int(side.events[row])
    if row in side.gradients:
        tensors = [side.gradients[row]] if side.gradients[row] >= 0 else []
    else:
        tensors = side.graph.inputs[event] if event >= 0 else []
    for tensor in tensors:
        while tensor >= 0:
            if tensor in side.arrived:
                yield side.arrived[tensor]
            elif (maker := producer[tensor]) >= 0 and place[maker] >= 0:
                yield place[maker]
            tensor = side.earlier.get(tensor, -1)  # noqa: PLW2901 - the sum that this one was added to


def _earlier_sums(graph: Graph) -> dict[int, int]:
    """For each gradient that is a sum the sum before it: a row shows what its step adds, not what it is added to."""
    gradients = graph.recording.gradients
    of, total = graph.links.tensor_rows(gradients.tensor), graph.links.tensor_rows(gradients.gradient)
    order = np.argsort(of, kind="stable")
    one, next_ = order[:-1], order[1:]
    again = (of[one] == of[next_]) & (gradients.gradient != gradients.addend)[next_]
    again &= (total[one] >= 0) & (total[next_] > total[one])
    return dict(zip(total[next_[again]].tolist(), total[one[again]].tolist(), strict=True))
