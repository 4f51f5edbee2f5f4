"""The ops of two recordings, paired: forward ops by line, op and order, backward steps by the op that they belong to.

An event of a traced graph may stand for several nodes: for those that were fused into it, merged with it or simplified
to it. Each of them is a step of its own here, so that it meets the op that ran by itself in an eager recording.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np

from tapeviz.analysis.differences.alignment import Keys, Pairs, aligned, occurrences
from tapeviz.analysis.differences.lines import shared_lines
from tapeviz.analysis.graph import Graph
from tapeviz.analysis.links import pick, rows_of
from tapeviz.recording.schema import KINDS, PHASES

__all__ = ["Gone", "Matched", "Steps", "matched"]

Gone: TypeAlias = dict[tuple[int, str], str]

_OP: Final = KINDS.index("op")
_BACKWARD: Final = PHASES.index("backward")
_STOOD_FOR: Final = ("fused", "merged", "simplified", "inlined")
_GONE: Final = {"folded": "folded into a constant of the graph", "pruned": "pruned: nothing in the graph needs it"}


@dataclass(frozen=True, slots=True)
class Steps:
    """What ran, in order: parallel arrays.

    Attributes:
        event: the row of the event.
        site: the row of ``sites``.
        op: the row of ``ops``.
        inner: whether it was fused into the event, which keeps no value of it.
    """

    event: Keys
    site: Keys
    op: Keys
    inner: np.ndarray


@dataclass(frozen=True, slots=True)
class Matched:
    """Two recordings' steps in one order, -1 where one has none.

    Attributes:
        a, b: the position in the steps of each.
        number: how many runs of that op on that line were before it.
        gone: for each side the lines and ops that its graphs do not run, and why.
        lines: for each side the numbers of lines that both share, by rows of ``sites``.
    """

    steps: tuple[Steps, Steps]
    a: Keys
    b: Keys
    number: Keys
    gone: tuple[Gone, Gone]
    lines: tuple[Keys, Keys]


class _Side:
    """One recording, with its lines numbered as in the other."""

    def __init__(self, graph: Graph, lines: Keys, ops: dict[str, int]) -> None:
        self.graph = graph
        self._lines = lines
        self._ops = ops

    @cached_property
    def steps(self) -> Steps:
        events = self.graph.recording.events
        rows = np.flatnonzero((events.kind == _OP) & (events.op >= 0))
        sites = events.site[rows].astype(np.int64)
        origin = self.graph.links.origin[rows]
        sites = np.where((sites < 0) & (origin >= 0), events.site[np.maximum(origin, 0)], sites)
        plain = Steps(rows, sites, events.op[rows].astype(np.int64), np.zeros(len(rows), np.bool_))
        return _with_members(self.graph, plain)

    @cached_property
    def keys(self) -> Keys:
        """A number for each step: the same for the same op on the same line in the same direction."""
        steps = self.steps
        names = np.array([self._ops.setdefault(name, len(self._ops)) for name in self.graph.recording.ops.name], "i8")
        known = (steps.site >= 0) & (steps.site < len(self._lines))
        line = np.where(known, pick(self._lines, steps.site) + 1, 0)
        found: Keys = (line * 2 + self.backward) * 2**20 + pick(names, steps.op)
        return found

    @cached_property
    def backward(self) -> np.ndarray:
        """Which steps are part of a backward pass."""
        found: np.ndarray = self.graph.recording.events.phase[self.steps.event] == _BACKWARD
        return found

    @cached_property
    def forward_step(self) -> Keys:
        """For each backward step the step of the op that it belongs to; -1 for others."""
        of_event = np.full(self.graph.events, -1)
        shown = np.flatnonzero(~self.steps.inner)
        of_event[self.steps.event[shown]] = shown
        origin = self.graph.links.origin[self.steps.event]
        return np.where(self.backward & (origin >= 0), pick(of_event + 1, origin) - 1, -1)


def matched(a: Graph, b: Graph) -> Matched:
    """The steps of both in one order: that of ``a``, what only ``b`` has before what it comes before there."""
    ops: dict[str, int] = {}
    lines = shared_lines(a.recording, b.recording)
    sides = [_Side(graph, numbers, ops) for graph, numbers in zip((a, b), lines, strict=True)]
    one, other = sides
    own = [np.flatnonzero(side.forward_step < 0) for side in sides]
    left, right = aligned(one.keys[own[0]], other.keys[own[1]])
    left, right = own[0][left], own[1][right]
    back_left, back_right = _backward(one, other, left, right)
    pairs = np.concatenate([left, back_left]), np.concatenate([right, back_right])
    at_a, at_b = _merged(pairs, len(one.steps.event), len(other.steps.event))
    number = np.where(at_a >= 0, pick(occurrences(one.keys), at_a), pick(occurrences(other.keys), at_b))
    gone = _gone(a, lines[0]), _gone(b, lines[1])
    return Matched((one.steps, other.steps), at_a, at_b, number, gone, lines)


def _gone(graph: Graph, lines: Keys) -> Gone:
    """The lines and ops of nodes that do not run, and what became of them."""
    nodes, names = graph.recording.nodes, graph.recording.ops.name
    columns = zip(nodes.site.tolist(), nodes.op.tolist(), nodes.fate, strict=True)
    return {
        (int(lines[site]), names[op]): _GONE[fate]
        for site, op, fate in columns
        if fate in _GONE and 0 <= site < len(lines) and 0 <= op < len(names)
    }


def _backward(a: _Side, b: _Side, left: Keys, right: Keys) -> Pairs:
    """Pairs of the backward steps of ops that are a pair, the first with the first."""
    partner = np.full(len(a.keys), -1)
    partner[left] = right
    steps = np.flatnonzero(a.forward_step >= 0), np.flatnonzero(b.forward_step >= 0)
    known = partner[a.forward_step[steps[0]]]
    wanted = np.where(known >= 0, known, -2 - np.arange(len(known)))
    found = _by_number(wanted, b.forward_step[steps[1]])
    return steps[0][found[0]], steps[1][found[1]]


def _by_number(a: Keys, b: Keys) -> Pairs:
    """The first with the first of equal keys, the second with the second, and so on."""
    order_a, order_b = (np.lexsort((occurrences(keys), keys)) for keys in (a, b))
    span = 1 + max(len(a), len(b))
    low = min(int(a.min(initial=0)), int(b.min(initial=0)))
    coded = [(keys - low) * span + occurrences(keys) for keys in (a, b)]
    _, left, right = np.intersect1d(coded[0][order_a], coded[1][order_b], assume_unique=True, return_indices=True)
    return order_a[left], order_b[right]


def _merged(pairs: Pairs, length_a: int, length_b: int) -> Pairs:
    """All steps of both in one order."""
    left, right = pairs
    partner_a, partner_b = np.full(length_a, -1), np.full(length_b, -1)
    partner_a[left], partner_b[right] = right, left
    alone = np.flatnonzero(partner_b < 0)
    # What only b has stands before the step of a that the next one with a partner belongs to: behind what only a has.
    following = np.append(partner_b, length_a)
    held = np.minimum.accumulate(np.where(following >= 0, np.arange(len(following)), length_b)[::-1])[::-1]
    at_a = np.concatenate([np.arange(length_a), np.full(len(alone), -1)])
    at_b = np.concatenate([partner_a, alone])
    place = np.concatenate([np.arange(length_a), following[held][alone]])
    order = np.lexsort((at_b, at_a >= 0, place))
    return at_a[order], at_b[order]


def _with_members(graph: Graph, plain: Steps) -> Steps:
    """The steps with those of all nodes that an event stands for in place of its own."""
    runs, nodes = graph.recording.node_runs, graph.recording.nodes
    stepped = graph.recording.graph_runs.stepped
    if not len(runs) or not len(nodes) or (len(stepped) and stepped.all()):
        return plain
    members = _Members(graph)
    rows: list[tuple[int, int, int, bool]] = []
    for event, site, op in zip(plain.event.tolist(), plain.site.tolist(), plain.op.tolist(), strict=True):
        rows += [(event, *step) for step in members.of(event, site, op)] or [(event, site, op, False)]
    event_, site_, op_, inner = zip(*rows, strict=True) if rows else ((), (), (), ())
    return Steps(np.array(event_, "i8"), np.array(site_, "i8"), np.array(op_, "i8"), np.array(inner, "?"))


class _Members:
    """The nodes that each event of a graph's run stands for."""

    def __init__(self, graph: Graph) -> None:
        nodes, runs = graph.recording.nodes, graph.recording.node_runs
        self._number: list[int] = nodes.number.tolist()
        self._graph: list[int] = nodes.graph.tolist()
        self._site: list[int] = nodes.site.tolist()
        self._op: list[int] = nodes.op.tolist()
        self._fate = nodes.fate
        rows = {key: row for row, key in enumerate(zip(self._graph, self._number, strict=True))}
        self._into: dict[tuple[int, int], list[int]] = {}
        for row, (of, into) in enumerate(zip(self._graph, nodes.into.tolist(), strict=True)):
            if self._fate[row] in _STOOD_FOR and 0 <= into != self._number[row]:
                self._into.setdefault((of, into), []).append(row)
        self._ran: dict[int, list[int]] = {}
        events = rows_of(graph.recording.events.id, runs.event).tolist()
        for event, key in zip(events, zip(runs.graph.tolist(), runs.node.tolist(), strict=True), strict=True):
            if key in rows:
                self._ran.setdefault(event, []).append(rows[key])

    def of(self, event: int, site: int, op: int) -> Iterator[tuple[int, int, bool]]:
        """Line, op and whether it is inside, for each node that an event ran: its value is that of one of them."""
        ran = sorted(self._ran.get(event, ()), key=self._number.__getitem__)
        own = [row for row in ran if (self._site[row], self._op[row]) == (site, op)]
        shown = (own or ran)[-1:]
        found = {row: row not in shown for row in ran}
        queue = list(found)
        for row in queue:
            for other in self._into.get((self._graph[row], self._number[row]), ()):
                if other not in found:
                    found[other] = found[row] or self._fate[other] == "fused"
                    queue.append(other)
        for row in sorted(found, key=self._number.__getitem__):
            yield self._site[row], self._op[row], found[row]
