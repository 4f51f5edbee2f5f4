"""Neighbouring ops that stand on one line, or in one function, as one stretch: who called whom is not recorded."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tapeviz.analysis.graph import Graph
from tapeviz.analysis.links import Rows
from tapeviz.exports.breaks import LEAST_IDLE
from tapeviz.exports.schedule import OP, Schedule
from tapeviz.recording.ranks import rank_of_events

__all__ = ["apart_in_time", "functions_of", "stretches"]

_INSIDE: Final = "<locals>."


def stretches(places: Sequence[Hashable | None], apart: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Neighbours of equal place, as first and one past the last; ``None`` is a place in which nothing stands.

    Args:
        places: where each op of a lane stands.
        apart: whether it belongs to no stretch with the one before.
    """
    first = 0
    for at in range(1, len(places) + 1):
        if at < len(places) and places[at] == places[first] and not apart[at]:
            continue
        if places[first] is not None:
            yield first, at
        first = at


def apart_in_time(graph: Graph, rows: Rows, phase: int) -> NDArray[np.bool_]:
    """Whether an idle stretch or an op of the other phase lies between each op of a lane and the one before."""
    events = graph.recording.events
    start, end = events.t0[rows], (events.t0 + events.dur)[rows]
    idle = start[1:] - np.maximum.accumulate(end)[:-1] >= LEAST_IDLE
    others = np.append(0, np.cumsum((events.kind == OP) & (events.phase != phase)))
    before, after = np.sort(np.stack([rows[:-1], rows[1:]]), axis=0)
    return np.append(np.zeros(min(1, len(start)), np.bool_), idle | (others[after] > others[before]))


def _function_at(graph: Graph, site: int) -> str:
    """The function that a site stands in, as its users call it; empty for a cell's or a module's own lines."""
    sites = graph.recording.sites
    if not 0 <= site < len(sites):
        return ""
    own = [
        part for part in sites.function[site].split(_INSIDE) if not part.startswith("<") or part.startswith("<lambda")
    ]
    return own[-1].removesuffix(".").replace("<lambda>", "lambda") if own else ""


def functions_of(graph: Graph, schedule: Schedule, phase: int) -> Iterator[tuple[Rows, str]]:
    """The ops of a phase that stand in one function, one after the other, with its name, rank by rank."""
    events, ranks = graph.recording.events, rank_of_events(graph.recording)
    chosen = (events.kind == OP) & (events.phase == phase)
    for rank in np.unique(ranks[chosen]).tolist():
        yield from _functions_among(graph, schedule, phase, np.flatnonzero(chosen & (ranks == rank)))


def _functions_among(graph: Graph, schedule: Schedule, phase: int, rows: Rows) -> Iterator[tuple[Rows, str]]:
    rows = rows[np.argsort(schedule.start[rows], kind="stable")]
    sites = [graph.site(row) for row in rows.tolist()]
    names = {site: _function_at(graph, site) for site in set(sites)}
    table = graph.recording.sites
    places = [(table.cell[site], table.file[site], names[site]) if names[site] else None for site in sites]
    for first, last in stretches(places, apart_in_time(graph, rows, phase)):
        yield rows[first:last], names[sites[first]]
