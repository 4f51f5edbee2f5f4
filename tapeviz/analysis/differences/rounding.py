"""How far two right results may be apart: each op rounds, and what it is given was rounded before.

Errors of rounding add up like steps in random directions: with the square root of their number. So a number behind
which there are ``n`` roundings, counted along the longest way back to what came in, may differ by ``4 * sqrt(n)`` units
in the last place. An elementwise op is one rounding, a sum of ``n`` numbers ``n``, a product of matrices as many as it
sums; ops that only move numbers are none, so that what came in, and what was only moved since, has to be equal.
"""

from __future__ import annotations

import json
import math
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tapeviz.analysis.differences.contents import shape_text
from tapeviz.analysis.graph import Graph
from tapeviz.analysis.links import Mask, Rows, ops_with, pick
from tapeviz.recording.schema import PHASES

__all__ = ["ULPS", "Rounding", "sizes"]

ULPS: Final = 4.0
"""How many units in the last place one rounding may make a difference of, in each dtype that rounds."""

_BACKWARD: Final = PHASES.index("backward")
_MOVES: Final = frozenset(("shape", "indexing", "variable", "control", "random"))


class Rounding:
    """The roundings behind what each event made.

    Attributes:
        behind: how many there are, along the longest way.
        summed: whether one of them was a sum: its elements may be small because terms cancel, so that errors are
            measured on the largest element instead.
        own: how many the event itself has.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._sizes = sizes(graph)
        self.own: np.ndarray = self._own()
        behind, summed = self._along()
        self.behind: np.ndarray = np.array(behind, np.float64)
        self.summed: Mask = np.array(summed, np.bool_)

    def allowed(self, events: Rows) -> NDArray[np.float64]:
        """How many units in the last place apart what these events made may be; 0 for no event."""
        found: NDArray[np.float64] = ULPS * np.sqrt(pick(self.behind, events))
        return found

    def terms(self, events: Rows) -> NDArray[np.float64]:
        """The sizes of sums of so many terms as these events sum, had the signs been drawn by chance; 0 not known.

        A sum whose terms cancel is small, its error is not.
        """
        root = np.sqrt(np.maximum(pick(self.own, events), 1.0))
        first, second = (pick(largest, events) for largest in self._magnitudes)
        sums, means, products = (pick(sort, pick(self._op, events) - 1) for sort in self._summing)
        found = np.where(
            sums, first * root, np.where(means, first / root, np.where(products, first * second * root, 0))
        )
        return np.where((events >= 0) & np.isfinite(found) & (root > 1), found, 0.0)

    @cached_property
    def _op(self) -> Rows:
        """One more than the row of ``ops`` of each event, so that 0 is none."""
        found: Rows = self._graph.recording.events.op.astype(np.int64) + 1
        return found

    @cached_property
    def _summing(self) -> tuple[Mask, Mask, Mask]:
        """Which ops sum what they are given, take its mean, or sum products of it."""
        recording = self._graph.recording
        products = np.array([family == "linalg" for family in recording.ops.family], np.bool_)
        return ops_with(recording, "sum"), ops_with(recording, "mean"), products

    @cached_property
    def _magnitudes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """For each event the largest elements of the two inputs where they are largest; nan where not all are known."""
        graph, stats = self._graph, self._graph.recording.stats
        rows = graph.links.stats
        large = np.where(rows >= 0, np.fmax(np.abs(pick(stats.min, rows)), np.abs(pick(stats.max, rows))), np.nan)
        event, tensor = graph.depends
        first, second = _two_largest(graph.events, event, np.nan_to_num(large, nan=np.inf, posinf=np.inf)[tensor])
        return first, np.where(second > 0, second, 1.0)

    def _own(self) -> NDArray[np.float64]:
        """How many roundings each event adds."""
        graph, events = self._graph, self._graph.recording.events
        families = graph.recording.ops.family
        moving = np.array([family in _MOVES for family in families], np.bool_)
        moves = pick(moving & ~ops_with(graph.recording, "sum", "mean", "factors"), events.op)
        reduces = pick(np.array([family == "reduction" for family in families], np.bool_), events.op)
        linear = pick(np.array([family == "linalg" for family in families], np.bool_), events.op)
        made, largest, second, axis = self._figures()
        ratio = np.where(made > 0, largest / np.maximum(made, 1), 1.0)
        contracted = np.where(made > 0, np.sqrt(largest * second / np.maximum(made, 1)), 1.0)
        backward = events.phase == _BACKWARD
        own = np.where(backward, np.maximum(ratio, 1.0), 1.0)
        own = np.where(linear, np.maximum(np.maximum(ratio, contracted), 1.0), own)
        own = np.where(reduces & ~backward, np.where(ratio > 1, ratio, np.maximum(axis, 1.0)), own)
        own = np.where(moves & ~backward, 0.0, own)
        return np.where(events.op >= 0, own, 0.0)

    def _figures(self) -> tuple[NDArray[np.float64], ...]:
        """For each event the elements of the smallest it made, of the two largest it uses, and the longest axis."""
        graph = self._graph
        made = np.full(graph.events, np.inf)
        tensors = np.flatnonzero(graph.links.producer >= 0)
        np.minimum.at(made, graph.links.producer[tensors], self._sizes[0][tensors])
        event, tensor = graph.depends
        first, second = _two_largest(graph.events, event, self._sizes[0][tensor])
        axis = np.zeros(graph.events)
        np.maximum.at(axis, event, self._sizes[1][tensor])
        return np.where(np.isfinite(made), made, 0.0), first, second, axis

    def _along(self) -> tuple[list[float], list[bool]]:
        graph, producer = self._graph, self._graph.links.producer.tolist()
        inputs, own = graph.inputs, self.own.tolist()
        starts, tensors = inputs.starts, inputs.values
        behind, summed = [0.0] * graph.events, [False] * graph.events
        for event, added in enumerate(own):
            most, has_sum = 0.0, added > 1
            for tensor in tensors[starts[event] : starts[event + 1]]:
                maker = producer[tensor]
                if 0 <= maker < event:
                    most = max(most, behind[maker])
                    has_sum = has_sum or summed[maker]
            behind[event], summed[event] = added + most, has_sum
        return behind, summed


def _two_largest(
    count: int, keys: NDArray[Any], values: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """For each number below ``count`` the two largest of its values; 0 where there are fewer."""
    order = np.lexsort((-values, keys))
    place = np.arange(len(order)) - np.searchsorted(keys[order], keys[order])
    found = np.zeros(count), np.zeros(count)
    for at in (0, 1):
        chosen = order[place == at]
        found[at][keys[chosen]] = values[chosen]
    return found


def sizes(graph: Graph) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """For each tensor how many elements it has, and the length of its longest axis."""
    known, where = np.unique(graph.recording.tensors.shape, return_inverse=True)
    shapes = [_shape(shape_text(graph, row)) for row in known.tolist()]
    counts = np.array([math.prod(shape) for shape in shapes], np.float64)
    lengths = np.array([max(shape, default=1) for shape in shapes], np.float64)
    return counts[where], lengths[where]


def _shape(text: str) -> tuple[int, ...]:
    try:
        return tuple(map(int, json.loads(text)))
    except (ValueError, TypeError):
        return ()
