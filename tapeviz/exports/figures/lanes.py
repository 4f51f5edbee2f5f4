"""What stands on the lanes of the timeline: blocks with their words, in the order of starting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tapeviz.analysis.graph import Graph
from tapeviz.analysis.links import Rows
from tapeviz.exports import numbers
from tapeviz.exports.figures.palette import ERROR, OTHER, Family, family_of
from tapeviz.exports.schedule import OP, SPAN, Schedule
from tapeviz.recording.schema import STATUSES

__all__ = ["Block", "Lane", "lines_of", "ops_of", "spans_of"]

_FAILED = STATUSES.index("failed")
_DEEPEST = 3


@dataclass(frozen=True, slots=True)
class Block:
    """Something on a lane, from x to x in the schedule's unit, and what is to be said about it."""

    start: float
    end: float
    label: str
    took: str = ""
    made: str = ""
    family: Family = OTHER
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Lane:
    """The ops of a phase: their rows, and where they stand."""

    phase: int
    rows: Rows
    start: NDArray[np.float64]
    end: NDArray[np.float64]


def ops_of(graph: Graph, schedule: Schedule, phase: int) -> Lane:
    """The ops of a phase."""
    events = graph.recording.events
    rows = np.flatnonzero((events.kind == OP) & (events.phase == phase))
    rows = rows[np.argsort(schedule.start[rows], kind="stable")]
    return Lane(phase, rows, schedule.start[rows], schedule.end[rows])


def families(graph: Graph) -> list[Family]:
    """The family of each row of ops."""
    return [family_of(name) for name in graph.recording.ops.family]


def block(graph: Graph, lane: Lane, place: int) -> Block:
    """An op of a lane with its words."""
    events, ops = graph.recording.events, graph.recording.ops
    row = int(lane.rows[place])
    failed = events.status[row] == _FAILED
    number = int(events.op[row])
    family = family_of(ops.family[number]) if 0 <= number < len(ops) else OTHER
    outputs = graph.outputs[row]
    return Block(
        float(lane.start[place]), float(lane.end[place]), graph.op(row) or "?", numbers.duration(events.dur[row]),
        numbers.shape(graph.shape(outputs[0])) if outputs else "", ERROR if failed else family, failed,
    )  # fmt: skip


def lines_of(graph: Graph, lane: Lane) -> list[Block]:
    """Neighbouring ops of one source line, as one block with the line's number and text."""
    found: list[Block] = []
    before = None
    for row, start, end in zip(lane.rows.tolist(), lane.start.tolist(), lane.end.tolist(), strict=True):
        place = graph.place(graph.site(row))
        if place is None:
            before = None
            continue
        here = (place.file, place.line)
        if here == before and found:
            start, end = found[-1].start, max(found.pop().end, end)  # noqa: PLW2901
        found.append(Block(start, end, f"{place.line}  {place.text}"))
        before = here
    return found


def spans_of(graph: Graph, schedule: Schedule, phase: int) -> list[list[Block]]:
    """The spans of a phase by how deep they lie in each other, outermost first; the cell itself is none of them."""
    events, links = graph.recording.events, graph.links
    depth: dict[int, int] = {}
    levels: list[list[Block]] = []
    for row in np.flatnonzero((events.kind == SPAN) & (events.phase == phase)).tolist():
        sort, name = links.spans[row]
        depth[row] = depth.get(int(links.parent[row]), 0) + (sort != "cell")
        if sort == "cell" or depth[row] > _DEEPEST or schedule.end[row] <= schedule.start[row]:
            continue
        while len(levels) < depth[row]:
            levels.append([])
        levels[depth[row] - 1].append(Block(float(schedule.start[row]), float(schedule.end[row]), name))
    return [level for level in levels if level]
