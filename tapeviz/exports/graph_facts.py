"""What a recording holds about traced functions: their traces, why each was made, what it cost, how often it ran."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tapeviz.analysis.graph import Site, graph_of
from tapeviz.exports import numbers
from tapeviz.recording import Recording

__all__ = ["Change", "Trace", "Traced", "heading", "traced"]

_COMPARED: Final = 64
"""A trace is compared with so many before it: a function that is traced for every call is slow enough."""


@dataclass(frozen=True, slots=True)
class Change:
    """An argument that is another one than in the nearest trace before; an empty text is a missing argument."""

    argument: str
    before: str
    after: str

    def __str__(self) -> str:
        if not self.before:
            return f"{self.argument}: {self.after} (new)"
        return f"{self.argument}: {self.before} → {self.after}" if self.after else f"{self.argument}: gone"


@dataclass(frozen=True, slots=True)
class Trace:
    """One trace.

    Attributes:
        number: which trace of the function it is, from 1.
        changes: what is another one than in the nearest trace before; empty for a first trace, and for a second one of
            the same call.
        took: AutoGraph, tracing and planning, in ns.
        nodes: how many were traced; ``left`` how many the passes left, -1 without passes.
        effects: what Python did once, while it was traced.
    """

    number: int
    reason: str
    fix: str
    place: Site | None
    changes: tuple[Change, ...]
    took: float
    runs: int
    nodes: int
    left: int
    effects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Traced:
    """A function with its traces, in order; or a session, or a cell, which was traced once."""

    name: str
    sort: str
    traces: tuple[Trace, ...]

    @property
    def runs(self) -> int:
        """How often all of them ran."""
        return sum(trace.runs for trace in self.traces)

    @property
    def took(self) -> float:
        """What all of them took to be made, in ns."""
        return sum(trace.took for trace in self.traces)


def heading(found: Sequence[Traced]) -> str:
    """How many there are, and of what."""
    return numbers.plural(len(found), "traced function" if all(one.sort == "function" for one in found) else "graph")


def traced(recording: Recording) -> list[Traced]:
    """The functions that were traced, in the order of their first traces, then sessions and cells."""
    graphs = recording.graphs
    functions: dict[int, list[int]] = {}
    others: list[int] = []
    for row in range(len(graphs)):
        if graphs.function[row] >= 0:
            functions.setdefault(int(graphs.function[row]), []).append(row)
        elif graphs.sort[row] in {"session", "cell"}:
            others.append(row)
    found = [sorted(rows, key=lambda row: int(graphs.trace[row])) for rows in functions.values()]
    return [_function(recording, rows) for rows in [*found, *([row] for row in others)]]


def _function(recording: Recording, rows: Sequence[int]) -> Traced:
    graphs = recording.graphs
    keys = [_signature(graphs.key[row]) for row in rows]
    traces = tuple(_trace(recording, row, _changes(keys, at)) for at, row in enumerate(rows))
    return Traced(graphs.name[rows[0]] or graphs.sort[rows[0]], graphs.sort[rows[0]], traces)


def _trace(recording: Recording, row: int, changes: tuple[Change, ...]) -> Trace:
    graphs, passes = recording.graphs, recording.passes
    number = graphs.id[row]
    own = np.flatnonzero(passes.graph == number)
    if (name := graphs.argument[row]) and all(change.argument != name for change in changes):
        changes = (Change(name, graphs.before[row], graphs.after[row]), *changes)
    effects = recording.trace_effects
    return Trace(
        number=max(1, int(graphs.trace[row])),
        reason=graphs.reason[row],
        fix=graphs.fix[row],
        place=graph_of(recording).place(int(graphs.site[row])),
        changes=changes,
        took=float(graphs.converting[row] + graphs.tracing[row] + graphs.planning[row]),
        runs=int((recording.graph_runs.graph == number).sum()),
        nodes=int((recording.nodes.graph == number).sum()),
        left=int(passes.after[own[-1]]) if len(own) else -1,
        effects=tuple(effects.text[at] for at in np.flatnonzero(effects.graph == number).tolist()),
    )


def _signature(text: str) -> dict[str, str]:
    try:
        pairs: Any = json.loads(text)
        return {str(name): str(traced_as) for name, traced_as in pairs}
    except (TypeError, ValueError):
        return {}


def _changes(keys: Sequence[dict[str, str]], at: int) -> tuple[Change, ...]:
    """What changed since the earlier trace that is the most alike, the latest of several."""
    if at == 0:
        return ()
    earlier = reversed(range(max(0, at - _COMPARED), at))
    return min((_between(keys[before], keys[at]) for before in earlier), key=len)


def _between(before: dict[str, str], after: dict[str, str]) -> tuple[Change, ...]:
    names = [*after, *(name for name in before if name not in after)]
    changes = (Change(name, before.get(name, ""), after.get(name, "")) for name in names)
    return tuple(change for change in changes if change.before != change.after)
