"""What stands on the lanes of the timeline: blocks with their words, in the order of starting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tapeviz.analysis.graph import Graph
from tapeviz.analysis.links import Rows
from tapeviz.exports import numbers
from tapeviz.exports.breaks import Break
from tapeviz.exports.figures.palette import ERROR, OTHER, Family, family_of
from tapeviz.exports.schedule import OP, SPAN, Schedule, by_time
from tapeviz.exports.setups import setup_title
from tapeviz.exports.stretches import apart_in_time, stretches
from tapeviz.recording.schema import KINDS, STATUSES

__all__ = ["Block", "Lane", "idle_words", "lines_of", "ops_of", "spans_of"]

_FAILED = STATUSES.index("failed")
_DEEPEST = 3
# Busy without an op: spans of these sorts are what a break is about where they reach beyond it, too.
_WITHOUT_OPS = frozenset({"trace", "plan"})


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


def lines_of(graph: Graph, lane: Lane, *, timed: bool) -> list[Block]:
    """Neighbouring ops of one source line, as one block with the line's number and text.

    By the clock a block does not reach over an idle stretch, in which another line may have run, nor over an op of the
    other phase.
    """
    apart = apart_in_time(graph, lane.rows, lane.phase) if timed else np.zeros(len(lane.rows), np.bool_)
    lines = [graph.place(graph.site(row)) for row in lane.rows.tolist()]
    found: list[Block] = []
    for first, last in stretches([line and (line.file, line.line) for line in lines], apart):
        line = lines[first]
        words = f"{line.line}  {line.text}" if line else ""
        found.append(Block(float(lane.start[first]), float(lane.end[first:last].max()), words))
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


def idle_words(graph: Graph, gap: Break) -> str:
    """What lies in a break: a pause or a span of the user's that takes most of it, else nothing at all."""
    events, links = graph.recording.events, graph.links
    schedule = by_time(graph)
    took = np.minimum(schedule.end, gap.end) - np.maximum(schedule.start, gap.start)
    rows = np.flatnonzero((events.kind != OP) & (took > (gap.end - gap.start) / 2))
    within = (schedule.start[rows] >= gap.start) & (schedule.end[rows] <= gap.end)
    rows = rows[within | np.array([links.spans.get(row, ("", ""))[0] in _WITHOUT_OPS for row in rows.tolist()], bool)]
    title = _setups_in(graph, gap) or "idle"
    if len(rows):
        row = int(rows[took[rows].argmax()])
        kind = KINDS[int(events.kind[row])]
        title = links.spans[row][1] if kind == "span" else "GC pause" if kind == "gc" else kind
    return f"{title} {numbers.duration(gap.end - gap.start)}"


def _setups_in(graph: Graph, gap: Break) -> str:
    """The first uses and imports that together take most of a break, the longest by its name; empty without."""
    setups = graph.recording.setups
    took = np.minimum(setups.t0 + setups.dur, gap.end) - np.maximum(setups.t0, gap.start)
    inside = [row for row in np.argsort(-took, kind="stable").tolist() if took[row] > 0]
    if took[inside].sum() <= (gap.end - gap.start) / 2:
        return ""
    row = inside[0]
    title = setup_title(graph, row)
    return title if took[row] > (gap.end - gap.start) / 2 or len(inside) == 1 else f"{title} +{len(inside) - 1}"
