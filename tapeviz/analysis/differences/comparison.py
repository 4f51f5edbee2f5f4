"""Where two recordings of one program differ: every op beside its partner, and the first that matters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from tapeviz.analysis.differences.causes import Side, causes
from tapeviz.analysis.differences.contents import Contents
from tapeviz.analysis.differences.figures import WHAT, Figures, Limits, figures, worst
from tapeviz.analysis.differences.rounding import Rounding
from tapeviz.analysis.differences.rows import CAME, GRADIENT, OP, Columns, Rows
from tapeviz.analysis.differences.steps import matched
from tapeviz.analysis.differences.table import Differences
from tapeviz.analysis.differences.tensor_pairs import Asked, TensorPairs, arrivals, asked, makes
from tapeviz.analysis.graph import Graph, graph_of
from tapeviz.analysis.links import pick
from tapeviz.recording import Recording

__all__ = ["differences"]

_FUSED, _NOT_KEPT, _VALUE = (WHAT.index(what) for what in ("fused", "not_kept", "value"))
_ONLY_A, _ONLY_B = WHAT.index("only_a"), WHAT.index("only_b")


Result = TypeVar("Result", bound=Differences)

Arrays: TypeAlias = Mapping[int, Any]
Numbers: TypeAlias = NDArray[np.int64]


def differences(
    a: Recording,
    b: Recording,
    *,
    arrays: tuple[Arrays, Arrays] = ({}, {}),
    names: tuple[str, str] = ("a", "b"),
    tolerances: tuple[float, float] | None = None,
    kind: type[Result] = Differences,  # type: ignore[assignment]
) -> Result:
    """Compare two recordings op by op.

    Args:
        a: one recording.
        b: the other.
        arrays: what is still in memory of the tensors of each, by id.
        names: what to call the two.
        tolerances: relative and absolute: what lies within is not a material difference. Without them that is what
            rounding explains, see :mod:`tapeviz.analysis.differences.rounding`.
        kind: the class of what is returned.

    Example::

        differences(one.recording, other.recording).first
    """
    return _Finder(graph_of(a), graph_of(b), arrays, tolerances).found(names, kind)


@dataclass(slots=True)
class _Part:
    """Some rows: the events of both, what differs, and where they stand."""

    events: tuple[Numbers, Numbers]
    figures: Figures
    allowed: NDArray[np.float64]
    place: NDArray[np.float64]


class _Finder:
    """Two recordings, and what has been found out about them."""

    def __init__(
        self, a: Graph, b: Graph, arrays: tuple[Arrays, Arrays], tolerances: tuple[float, float] | None
    ) -> None:
        self.graphs = (a, b)
        self._contents = Contents(a, arrays[0]), Contents(b, arrays[1])
        self._tolerances = tolerances
        self._matched = matched(a, b)
        self._rounding = Rounding(a), Rounding(b)
        steps, at = self._matched.steps, (self._matched.a, self._matched.b)
        self._events = tuple(np.where(p >= 0, pick(s.event, p), -1) for s, p in zip(steps, at, strict=True))
        self._inner = tuple((p >= 0) & pick(s.inner, p) for s, p in zip(steps, at, strict=True))

    def found(self, names: tuple[str, str], kind: type[Result]) -> Result:
        ops, came = self._ops(), self._came()
        gradients, sources = self._gradients(len(ops.place))
        parts = [ops, came[0], gradients]
        place = np.concatenate([part.place for part in parts])
        order = np.argsort(place, kind="stable")
        columns = Columns(
            graphs=self.graphs,
            matched=self._matched,
            part=np.repeat([OP, CAME, GRADIENT], [len(part.place) for part in parts])[order],
            within=np.concatenate([np.arange(len(part.place)) for part in parts])[order],
            events=tuple(np.concatenate([part.events[side] for part in parts])[order] for side in (0, 1)),
            allowed=np.concatenate([part.allowed for part in parts])[order],
            arrived=came[1],
            sources=sources,
            figures=_figures_of(lambda name: np.concatenate([getattr(part.figures, name) for part in parts])[order]),
        )  # fmt: skip
        _excuse(columns)
        columns.cause = self._causes(columns)
        in_a, in_b = self._matched.a >= 0, self._matched.b >= 0
        counts = tuple(int(np.count_nonzero(chosen)) for chosen in (in_a & in_b, in_a & ~in_b, in_b & ~in_a))
        rows = Rows(columns, self._contents)
        ways = rows.make, rows.elements, rows.tensors
        return kind(*ways, columns.figures, columns.cause, names, (counts[0], counts[1], counts[2]))

    def _ops(self) -> _Part:
        """The rows of ops."""
        count, events = len(self._matched.a), (self._events[0], self._events[1])
        shown = tuple(np.where(inner, -1, of) for inner, of in zip(self._inner, events, strict=True))
        pairs, made = makes(*self.graphs, (shown[0], shown[1]))
        found, allowed = self._measured(pairs, count, shown)
        hidden = (events[0] >= 0) & (events[1] >= 0) & (self._inner[0] | self._inner[1])
        found.what[hidden] = _FUSED
        for what, own, other in ((_ONLY_A, 0, 1), (_ONLY_B, 1, 0)):
            gone = (events[own] >= 0) & (events[other] < 0) | (made[own] > 0) & (made[other] == 0) & ~hidden
            found.what[gone], found.material[gone] = what, True
        return _Part(events, found, allowed, np.arange(count, dtype=np.float64))

    def _came(self) -> tuple[_Part, TensorPairs]:
        """The rows of what came in different."""
        # What a fused op is given stands in other places than what its members are.
        own = tuple(
            np.where(pick(np.bincount(steps.event, minlength=1), of) == 1, of, -1)
            for steps, of in zip(self._matched.steps, self._events, strict=True)
        )
        rows, left, right = arrivals(*self.graphs, (own[0], own[1]))
        number, zeros = np.arange(len(rows)), np.zeros(len(rows))
        nothing = Limits(zeros, zeros.astype(np.bool_), lambda chosen: np.zeros(len(chosen)), self._tolerances)
        of_all = figures(*self._contents, left, right, nothing)
        kept = number[of_all.what >= _VALUE]
        found = _figures_of(lambda name: getattr(of_all, name)[kept])
        none = np.full(len(kept), -1)
        part = _Part((none, none), found, zeros[kept], np.asarray(rows[kept] - 0.5, np.float64))
        return part, (rows[kept], left[kept], right[kept])

    def _gradients(self, behind: int) -> tuple[_Part, list[Asked]]:
        """The rows of the gradients that were asked for."""
        sources = list(asked(*self.graphs))
        spans, gradients = (np.array([getattr(one, name) for one in sources], np.int64).reshape(-1, 2)
                            for name in ("spans", "gradients"))  # fmt: skip
        both = np.flatnonzero((gradients >= 0).all(axis=1))
        given = np.maximum(gradients, 0)
        makers = tuple(pick(graph.links.producer, given[:, side]) for side, graph in enumerate(self.graphs))
        pairs = both, gradients[both, 0], gradients[both, 1]
        found, allowed = self._measured(pairs, len(sources), makers)
        for what, own, other in ((_ONLY_A, 0, 1), (_ONLY_B, 1, 0)):
            gone = (gradients[:, own] >= 0) & (gradients[:, other] < 0)
            found.what[gone], found.material[gone] = what, True
        return _Part((spans[:, 0], spans[:, 1]), found, allowed, np.full(len(sources), float(behind))), sources

    def _measured(self, pairs: TensorPairs, count: int, events: Any) -> tuple[Figures, NDArray[np.float64]]:
        """What differs in each of some rows, and how much rounding explains there."""
        one, other = self._rounding
        allowed = np.maximum(one.allowed(events[0]), other.allowed(events[1]))
        summed = pick(one.summed, events[0]) | pick(other.summed, events[1])
        rows = pairs[0]

        def terms(chosen: NDArray[Any]) -> NDArray[np.float64]:
            at = rows[chosen]
            return np.maximum(one.terms(events[0][at]), other.terms(events[1][at]))

        limits = Limits(allowed[rows], summed[rows], terms, self._tolerances)
        return worst(figures(*self._contents, pairs[1], pairs[2], limits), rows, count), allowed

    def _causes(self, columns: Columns) -> Numbers:
        sides = []
        for side, graph in enumerate(self.graphs):
            shown = np.where(columns.part == OP, columns.events[side], -1)
            came = np.flatnonzero(columns.part == CAME)
            asks = np.flatnonzero(columns.part == GRADIENT)
            tensors = columns.arrived[1 + side][columns.within[came]].tolist()
            gradients = [columns.sources[at].gradients[side] for at in columns.within[asks].tolist()]
            arrived = dict(zip(tensors, came.tolist(), strict=True))
            sides.append(Side(graph, shown, arrived, dict(zip(asks.tolist(), gradients, strict=True))))
        what = columns.figures.what
        alone = (what == _ONLY_A) | (what == _ONLY_B)
        hidden = (what == _NOT_KEPT) | (what == _FUSED)
        return np.array(causes(sides, columns.figures.material, alone, hidden), np.int64)


def _excuse(columns: Columns) -> None:
    """Ops of one side only that compute nothing, or that a graph did not have to run, are not material difference."""
    what = columns.figures.what
    traced = [_traced_lines(graph, lines) for graph, lines in zip(columns.graphs, columns.matched.lines, strict=True)]
    for row in np.flatnonzero((what == _ONLY_A) | (what == _ONLY_B)).tolist():
        side = int(what[row] == _ONLY_B)
        if columns.part[row] != OP or columns.step(row, 1 - side) >= 0:
            continue
        site, name = columns.site(row, side), columns.op(row, side)
        lines, traits = columns.matched.lines[side], columns.said(row, side, "traits").split()
        # One of the two ways to run may have such ops where the other has none.
        idle = "identity" in traits and "writes_variable" not in traits
        line = int(lines[site]) if 0 <= site < len(lines) else -1
        note = columns.matched.gone[1 - side].get((line, name), "computes nothing" if idle else "")
        tracing = _tracing(columns.graphs[side], int(columns.events[side][row]))
        if tracing >= 0 and _line_of(columns.graphs[side], tracing, lines) not in traced[1 - side]:
            note = "ran once, while its function was traced"
        if note:
            columns.notes[row], columns.figures.material[row] = note, False


def _tracing(graph: Graph, event: int) -> int:
    """The row of the tracing of a function in which an event is; -1 for none."""
    while event >= 0 and graph.links.spans.get(event, ("", ""))[0] != "trace":
        event = int(graph.links.parent[event])
    return event


def _traced_lines(graph: Graph, lines: Numbers) -> set[int]:
    """The lines, as numbered for both recordings, on which functions were traced."""
    traces = [event for event, (kind, _) in graph.links.spans.items() if kind == "trace"]
    return {_line_of(graph, event, lines) for event in traces}


def _line_of(graph: Graph, event: int, lines: Numbers) -> int:
    site = graph.site(event)
    return int(lines[site]) if 0 <= site < len(lines) else -1


def _figures_of(column: Callable[[str], NDArray[Any]]) -> Figures:
    return Figures(**{field.name: column(field.name) for field in fields(Figures)})
