"""Rows of a comparison, made when they are looked at: a long tape has more of them than anybody reads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tapeviz.analysis.differences.contents import Contents, Distances, distances
from tapeviz.analysis.differences.figures import BASES, WHAT, Figures
from tapeviz.analysis.differences.steps import Matched
from tapeviz.analysis.differences.table import Element, Row
from tapeviz.analysis.differences.tensor_pairs import Asked, TensorPairs
from tapeviz.analysis.elements import position
from tapeviz.analysis.graph import Graph, Site
from tapeviz.recording.schema import EXITS, PHASES

__all__ = ["CAME", "GRADIENT", "OP", "Columns", "Rows"]

# What a row is about.
OP, CAME, GRADIENT = range(3)

_ENTER: Final = EXITS.index("enter")
_BY_VALUES: Final = BASES.index("values")
_BACKWARD: Final = PHASES.index("backward")


@dataclass(slots=True)
class Columns:
    """What is known of all rows.

    Attributes:
        graphs: the two recordings.
        matched: their steps.
        part: for each row what it is about: `OP`, `CAME` (what came in) or `GRADIENT`.
        within: its number among those.
        events: the rows of its events in both, -1 where there is none.
        allowed: the units in the last place that rounding explains.
        arrived: the tensors that came in different.
        sources: the gradients.
        figures: what differs.
        cause: the row that each inherits from.
        notes: what else there is to say of some.
    """

    graphs: tuple[Graph, Graph]
    matched: Matched
    part: NDArray[np.int64]
    within: NDArray[np.int64]
    events: tuple[NDArray[np.int64], ...]
    allowed: NDArray[np.float64]
    arrived: TensorPairs
    sources: list[Asked]
    figures: Figures
    cause: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    notes: dict[int, str] = field(default_factory=dict)

    def step(self, row: int, side: int) -> int:
        """The step that the row of an op is about; -1 where that side has none."""
        at = self.matched.b if side else self.matched.a
        return int(at[self.within[row]])

    def op(self, row: int, side: int) -> str:
        """The name of the op."""
        return self.said(row, side, "name") or "?"

    def said(self, row: int, side: int, column: str) -> str:
        """What a column of ``ops`` says of the op; empty where that is not known."""
        cells, op = (
            self.graphs[side].recording.ops.cells(column),
            int(self.matched.steps[side].op[self.step(row, side)]),
        )
        return str(cells[op]) if 0 <= op < len(cells) else ""

    def site(self, row: int, side: int) -> int:
        """The row of ``sites`` of an op."""
        return int(self.matched.steps[side].site[self.step(row, side)])


class Rows:
    """Makes rows from the columns."""

    def __init__(self, columns: Columns, contents: tuple[Contents, Contents]) -> None:
        self._columns = columns
        self._contents = contents

    def elements(self, index: int, most: int) -> list[Element]:
        """The elements of a row that are furthest apart, NaN and infinity that only one has first; empty: not known."""
        columns, (one, other) = self._columns, self._contents
        for a, b in self._tensors(index) if columns.figures.basis[index] == _BY_VALUES else ():
            left, right = one.elements(a), other.elements(b)
            if left is None or right is None or left.size != right.size:
                continue
            apart = distances((left, right), (one.dtype(a), other.dtype(b)))
            if len(chosen := _furthest(apart, most)):
                shape = columns.graphs[0].shape(a)
                return [Element(position(shape, at), left[at], right[at], float(apart.ulp[at])) for at in chosen]
        return []

    def tensors(self, index: int) -> list[tuple[int, int]]:
        """The ids of the tensors that a row is about, pair by pair; none where one of the two has none."""
        ids = [graph.recording.tensors.id for graph in self._columns.graphs]
        return [(int(ids[0][a]), int(ids[1][b])) for a, b in self._tensors(index)]

    def make(self, index: int) -> Row:
        """The row with a number."""
        columns = self._columns
        part = int(columns.part[index])
        about = (self._op, self._arrived, self._gradient)[part](index)
        figures = columns.figures
        return Row(
            index=index, **about, what=WHAT[figures.what[index]], ulp=float(figures.ulp[index]),
            relative=float(figures.relative[index]), absolute=float(figures.absolute[index]),
            allowed=float(columns.allowed[index]), material=bool(figures.material[index]),
            cause=int(columns.cause[index]), basis=BASES[figures.basis[index]],
            note=columns.notes.get(index) or self._note(index), draws=part == OP and self._draws(index),
        )  # fmt: skip

    def _op(self, index: int) -> dict[str, Any]:
        columns = self._columns
        has = [columns.step(index, side) >= 0 for side in (0, 1)]
        side = 0 if has[0] else 1
        graph, event = columns.graphs[side], int(columns.events[side][index])
        sites = [columns.site(index, at) if has[at] else self._same_line(index, at) for at in (0, 1)]
        backward = bool(graph.recording.events.phase[event] == _BACKWARD)
        name = "" if backward else next((graph.names[made] for made in graph.outputs[event] if made in graph.names), "")
        return {
            **self._sites(sites),
            "op": columns.op(index, side),
            "phase": PHASES[backward],
            "occurrence": int(columns.matched.number[columns.within[index]]) + 1,
            "name": name,
            **self._events(index),
        }

    def _draws(self, index: int) -> bool:
        columns = self._columns
        side = 0 if columns.step(index, 0) >= 0 else 1
        return "random" in columns.said(index, side, "traits").split()

    def _same_line(self, index: int, side: int) -> int:
        """A row of ``sites`` of this side for the line that an op of the other one is on; -1 where it has none."""
        lines, site = self._columns.matched.lines, self._columns.site(index, 1 - side)
        if not 0 <= site < len(lines[1 - side]):
            return -1
        found = np.flatnonzero(lines[side] == lines[1 - side][site])
        return int(found[0]) if len(found) else -1

    def _arrived(self, index: int) -> dict[str, Any]:
        columns = self._columns
        _, *tensors = (int(column[columns.within[index]]) for column in columns.arrived)
        graph = columns.graphs[0]
        variable = bool(graph.is_variable[tensors[0]])
        known = tensors[0] in graph.names or variable
        return {
            **self._sites([_entry(of, tensor) for of, tensor in zip(columns.graphs, tensors, strict=True)]),
            "op": "variable" if variable else "constant",
            "phase": "forward",
            "occurrence": 1,
            "name": graph.name(tensors[0]) if known else "",
            "a": -1,
            "b": -1,
        }

    def _gradient(self, index: int) -> dict[str, Any]:
        columns = self._columns
        source = columns.sources[columns.within[index]]
        sites = [graph.site(span) for graph, span in zip(columns.graphs, source.spans, strict=True)]
        about = {"op": "gradient", "phase": "backward", "occurrence": source.number + 1, "name": source.name}
        return {**self._sites(sites), **about, **self._events(index)}

    def _events(self, index: int) -> dict[str, Any]:
        columns = self._columns
        ids = [graph.event_id(int(of[index])) for graph, of in zip(columns.graphs, columns.events, strict=True)]
        return {"a": ids[0], "b": ids[1]}

    def _note(self, index: int) -> str:
        """In what form the tensors of a row differ."""
        columns = self._columns
        what, (a, b) = WHAT[columns.figures.what[index]], columns.graphs
        notes = (_form(a, b, one, other, what) for one, other in self._tensors(index))
        return next(filter(None, notes), "") if what in ("dtype", "shape", "nonfinite") else ""

    def _tensors(self, index: int) -> Iterator[tuple[int, int]]:
        """The pairs of tensors that a row is about."""
        columns = self._columns
        within, part = int(columns.within[index]), int(columns.part[index])
        if part == CAME:
            yield int(columns.arrived[1][within]), int(columns.arrived[2][within])
        elif part == GRADIENT:
            yield columns.sources[within].gradients
        else:
            made = (g.outputs[int(of[index])] for g, of in zip(columns.graphs, columns.events, strict=True))
            yield from zip(*made, strict=False)

    def _sites(self, rows: list[int]) -> dict[str, Site | None]:
        one, other = (graph.place(row) for graph, row in zip(self._columns.graphs, rows, strict=True))
        return {"site": one or other, "other_site": other}


def _entry(graph: Graph, tensor: int) -> int:
    """The row of ``sites`` where a tensor came in, else where it was made as a variable or first read."""
    recording = graph.recording
    entered = np.flatnonzero(
        (recording.exits.tensor == recording.tensors.id[tensor]) & (recording.exits.kind == _ENTER)
    )
    if len(entered):
        return int(recording.exits.site[entered[0]])
    variables = recording.variables
    made = np.flatnonzero((variables.id == recording.tensors.variable[tensor]) & graph.is_variable[tensor])
    if len(made) and variables.site[made[0]] >= 0:
        return int(variables.site[made[0]])
    readers = graph.readers[tensor]
    return graph.site(min(readers)) if readers else -1


def _furthest(apart: Distances, most: int) -> list[int]:
    """Flat indices of at most so many elements that differ: those finite in one alone, then the furthest apart."""
    score = np.where(apart.odd, np.inf, apart.absolute)
    chosen = np.argpartition(-score, most)[:most] if len(score) > most else np.arange(len(score))
    chosen = chosen[score[chosen] > 0]
    found: list[int] = chosen[np.lexsort((chosen, -score[chosen]))].tolist()
    return found


def _form(a: Graph, b: Graph, one: int, other: int, what: str) -> str:
    """What of two tensors differs besides their values, as a clause; empty where nothing does."""
    if what == "dtype" and a.dtype(one) != b.dtype(other):
        return f"{a.dtype(one)} in a, {b.dtype(other)} in b"
    if what == "shape" and a.shape(one) != b.shape(other):
        return f"{list(a.shape(one))} in a, {list(b.shape(other))} in b"
    if what == "nonfinite":
        counts = _odd(a, one), _odd(b, other)
        return f"{counts[0]} in a, {counts[1]} in b" if counts[0] != counts[1] else ""
    return ""


def _odd(graph: Graph, tensor: int) -> str:
    """How many elements are NaN or infinite, where that was counted."""
    row, stats = int(graph.links.stats[tensor]), graph.recording.stats
    if row < 0:
        return "?"
    counts = {"NaN": stats.nan[row], "+inf": stats.posinf[row], "-inf": stats.neginf[row]}
    return " and ".join(f"{int(count):,} {name}" for name, count in counts.items() if count) or "none"
