"""Where events stand on the x-axis: by the clock, or in equal columns in their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from tapeviz.analysis.graph import Graph
from tapeviz.analysis.links import Rows, latest, ops_with, pick, rows_of
from tapeviz.exports.breaks import LEAST_IDLE, Break, breaks_of, gaps_of, places_of
from tapeviz.recording.schema import KINDS, PHASES

__all__ = ["BACKWARD", "FORWARD", "OP", "SPAN", "Scale", "Schedule", "by_order", "by_time", "without_idle"]

Scale = Literal["time", "order"]

OP: Final = KINDS.index("op")
SPAN: Final = KINDS.index("span")
FORWARD: Final = PHASES.index("forward")
BACKWARD: Final = PHASES.index("backward")

_NARROW: Final = 0.3


@dataclass(frozen=True, slots=True)
class Schedule:
    """Start and end of each event, by its row; ``end`` is below ``start`` where it has no place."""

    scale: Scale
    start: NDArray[np.float64]
    end: NDArray[np.float64]
    breaks: tuple[Break, ...] = ()
    """What is left out of the axis."""

    @property
    def domain(self) -> tuple[float, float]:
        """The first start and the last end."""
        shown = self.end >= self.start
        if not shown.any():
            return 0.0, 1.0
        low, high = float(self.start[shown].min()), float(self.end[shown].max())
        return low, max(high, low + 1)


def by_time(graph: Graph) -> Schedule:
    """By the clock, in ns. A span without an end was cut off: it lasts as long as the recording."""
    events, ends = graph.recording.events, graph.recording.ends
    start, end = events.t0.copy(), events.t0 + events.dur
    last = max([0.0, *(column.max() for column in (end, ends.t) if len(column))])
    row = latest(rows_of(events.id, ends.event), graph.events)
    spans = events.kind == SPAN
    end[spans] = np.where(row[spans] >= 0, pick(ends.t, row)[spans], last)
    return Schedule("time", start, end)


def without_idle(graph: Graph, schedule: Schedule) -> Schedule:
    """The schedule by the clock with long stretches in which no op ran, or one waited for a setup, left out."""
    ops = np.flatnonzero(graph.recording.events.kind == OP)
    ops = ops[np.argsort(schedule.start[ops], kind="stable")]
    domain = schedule.domain
    idle = gaps_of(schedule.start[ops], schedule.end[ops], domain)
    breaks = tuple(breaks_of([*idle, *_setup_gaps(graph, idle)], domain))
    start, end = (places_of(breaks, column) for column in (schedule.start, schedule.end))
    return replace(schedule, start=start, end=end, breaks=breaks)


def _setup_gaps(graph: Graph, idle: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Long setups within ops, such as the import of a library on an op's first use."""
    setups = graph.recording.setups
    found: list[tuple[float, float]] = []
    for start, end in sorted(zip(setups.t0.tolist(), (setups.t0 + setups.dur).tolist(), strict=True)):
        if any(start < until and end > since for since, until in idle):
            continue
        if found and start - found[-1][1] < LEAST_IDLE:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return [(start, end) for start, end in found if end - start >= LEAST_IDLE]


def by_order(graph: Graph) -> Schedule:
    """In equal columns in the order of running; a backward step stands in the column of its forward op."""
    events, links = graph.recording.events, graph.links
    ops = events.kind == OP
    start, end = np.full(graph.events, np.inf), np.full(graph.events, -np.inf)
    borrowed = ops & (events.phase == BACKWARD) & (links.origin >= 0) & (links.origin < np.arange(graph.events))
    own = np.flatnonzero(ops & ~borrowed)
    # Ops that only rename or convert have narrow columns.
    variables = ops_with(graph.recording, "reads_variable", "writes_variable")
    quiet = ops_with(graph.recording, "identity", "cast") & ~variables
    widths = np.where(pick(quiet, events.op[own]), _NARROW, 1.0)
    end[own] = np.cumsum(widths)
    start[own] = end[own] - widths
    _share(links.origin, np.flatnonzero(borrowed), start, end)
    _stretch(graph, start, end)
    return Schedule("order", start, end)


def _share(origin: Rows, steps: Rows, start: NDArray[np.float64], end: NDArray[np.float64]) -> None:
    """Several backward steps of one op (a persistent tape) stand side by side in its column."""
    partners = origin[steps]
    count = np.bincount(partners, minlength=len(origin))
    order = np.argsort(partners, kind="stable")
    first = np.cumsum(count) - count
    place = np.empty(len(steps))
    place[order] = np.arange(len(steps)) - first[partners[order]]
    width = (end - start)[partners] / count[partners] if len(steps) else np.empty(0)
    start[steps] = start[partners] + place * width
    end[steps] = start[steps] + width


def _stretch(graph: Graph, start: NDArray[np.float64], end: NDArray[np.float64]) -> None:
    """A span reaches over the columns of the ops of its phase inside it."""
    events, parent = graph.recording.events, graph.links.parent
    for row in np.flatnonzero(events.kind == OP).tolist():
        up = int(parent[row])
        for _ in range(graph.events):
            if up < 0:
                break
            if events.kind[up] == SPAN and events.phase[up] == events.phase[row]:
                start[up], end[up] = min(start[up], start[row]), max(end[up], end[row])
            up = int(parent[up])
