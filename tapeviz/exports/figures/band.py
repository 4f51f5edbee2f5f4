"""The memory under the lanes of the timeline."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tapeviz.analysis.graph import Graph
from tapeviz.exports import numbers
from tapeviz.exports.breaks import places_of
from tapeviz.exports.figures.board import Board, Box
from tapeviz.exports.figures.lanes import ops_of
from tapeviz.exports.figures.palette import BACKGROUND, LINE, MUTED, TEXT, family_of, mix
from tapeviz.exports.memory import Curve, memory_of
from tapeviz.exports.schedule import BACKWARD, Schedule

__all__ = ["draw_memory"]

_COLOR: Final = family_of("variable").color
_COLUMNS: Final = 450


def draw_memory(board: Board, graph: Graph, schedule: Schedule, box: Box) -> None:
    """Draw the bytes alive into a box (x, y, width, height); in the scale "order", one curve for each phase."""
    left, y, width, height = box
    times, alive = memory_of(graph)
    peak = float(alive.max()) if len(alive) else 0.0
    board.text(0.1, y + height / 2 - 0.075, "memory", weight="bold")
    board.text(0.1, y + height / 2 + 0.075, numbers.bytes_(peak), size=7.5, color=MUTED)
    board.lines([[(left, y + height), (left + width, y + height)]], LINE)
    if peak <= 0:
        return
    low, high = schedule.domain
    for phase, (starts, ends, values) in enumerate(_steps(graph, schedule, (times, alive))):
        if not len(values):
            continue
        xs = left + (np.stack([starts, ends], axis=1).clip(low, high) - low) / (high - low) * width
        ys = y + height - np.repeat(values / peak * (height - 0.03), 2)
        points = list(zip(xs.ravel().tolist(), ys.tolist(), strict=True))
        if phase != BACKWARD:
            ends_at = [(points[-1][0], y + height), (points[0][0], y + height)]
            board.polygon([*points, *ends_at], mix(_COLOR, BACKGROUND, 0.18))
        board.lines([points], mix(_COLOR, TEXT, 0.8), 1.2, "-" if phase != BACKWARD else (0, (3, 2)))


def _steps(graph: Graph, schedule: Schedule, curve: Curve) -> list[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]]:
    """From where to where how much is alive: over time, or in the columns of the ops of each phase."""
    times, alive = curve
    low, high = schedule.domain
    if schedule.scale == "time":
        edges = np.linspace(low, high, _COLUMNS + 1)
        return [(edges[:-1], edges[1:], _highest(places_of(schedule.breaks, times), alive, edges))]
    found = []
    events = graph.recording.events
    for phase in range(2):
        lane = ops_of(graph, schedule, phase)
        at = np.searchsorted(times, (events.t0 + events.dur)[lane.rows], side="right") - 1
        # Each value holds until the next op of the phase.
        ends = np.append(lane.start[1:], lane.end[-1:])
        found.append((lane.start, ends, np.where(at >= 0, alive[np.maximum(at, 0)], 0.0)))
    return found


def _highest(times: NDArray[Any], alive: NDArray[Any], edges: NDArray[Any]) -> NDArray[Any]:
    """The most that is alive between neighbouring edges."""
    first = np.searchsorted(times, edges[:-1], side="right") - 1
    last = np.searchsorted(times, edges[1:], side="left")
    begin = np.where(first >= 0, alive[np.maximum(first, 0)], 0.0)
    bounds = np.stack([first + 1, np.maximum(last, first + 1)], axis=1).ravel()
    padded = np.append(alive, 0.0)
    within = np.maximum.reduceat(padded, np.minimum(bounds, len(alive)))[::2]
    return np.where(last > first + 1, np.maximum(begin, within), begin)
