"""Maths that left the engine and came back: no tape can follow an array."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from tapeviz.analysis.graph import NOT_REACHED, Graph, path
from tapeviz.analysis.why import advice
from tapeviz.analysis.why.gaps import Gap, Ways
from tapeviz.analysis.why.questions import Question
from tapeviz.recording.schema import EXITS

__all__ = ["left_engine"]

_LEAVING: Final = frozenset(EXITS.index(kind) for kind in ("numpy", "array", "python"))
_PYTHON: Final = EXITS.index("python")
_ENTER: Final = EXITS.index("enter")


@dataclass(frozen=True, slots=True)
class Crossing:
    """A tensor (row) whose value left the engine, or that was made from a host value: when (ns), where, how."""

    tensor: int
    t: float
    kind: int
    site: int
    memory: float


@dataclass(frozen=True, slots=True)
class Passage:
    """A way out and the way back in that belong together; the higher the rank the surer."""

    rank: tuple[int, int, float]
    out: Crossing
    back: Crossing

    @property
    def certain(self) -> bool:
        """Whether it was the same memory."""
        return self.rank[0] > 0


def left_engine(question: Question, *, assigned: bool) -> Gap | None:
    """What depends on the source was read out as an array or a number, and such a one goes into the target.

    Args:
        question: the source and the target.
        assigned: also look at what was assigned to variables that the target was computed from.
    """
    graph = question.graph
    forward, back = graph.descendants(question.sources), graph.ancestors(question.target, assigned=assigned)
    crossings = _crossings(graph)
    out = [c for c in crossings if c.kind in _LEAVING and c.t <= question.until and forward[c.tensor] != NOT_REACHED]
    if not out:
        return None
    into = [c for c in crossings if c.kind == _ENTER and back[c.tensor] != NOT_REACHED]
    into += _numbers(graph, back, {c.tensor for c in crossings if c.kind == _ENTER})
    found = max(_passages(question, out, into), key=lambda passage: passage.rank, default=None)
    if found is None:
        return None
    return _described(question, found, (path(forward, found.out.tensor), path(back, found.back.tensor)))


def _crossings(graph: Graph) -> list[Crossing]:
    exits = graph.recording.exits
    rows = graph.links.tensor_rows(exits.tensor).tolist()
    columns = [column.tolist() for column in (exits.t, exits.kind, exits.site, exits.memory)]
    return [Crossing(row, *values) for row, *values in zip(rows, *columns, strict=True) if row >= 0]


def _numbers(graph: Graph, back: list[int], entered: set[int]) -> list[Crossing]:
    """Numbers written into an expression, which become tensors without a row of their own in ``exits``."""
    t0 = graph.recording.events.t0
    loose = np.flatnonzero((np.array(back) != NOT_REACHED) & (graph.links.producer < 0) & ~graph.is_variable)
    found = []
    for tensor in loose.tolist():
        if tensor not in entered and graph.size(tensor) == 1 and (readers := graph.readers[tensor]):
            first = min(readers, key=lambda event: float(t0[event]))
            found.append(Crossing(tensor, float(t0[first]), _ENTER, graph.site(first), 0.0))
    return found


def _passages(question: Question, out: list[Crossing], into: list[Crossing]) -> list[Passage]:
    """Each way back in with the likeliest way out before it."""
    found = []
    for entry in into:
        before = [exit_ for exit_ in out if exit_.t <= entry.t]
        ranked = [(_rank(question, exit_, entry), exit_) for exit_ in before]
        likely = [(rank, exit_) for rank, exit_ in ranked if rank is not None]
        if likely:
            rank, exit_ = max(likely, key=lambda pair: pair[0])
            found.append(Passage(rank, exit_, entry))
    return found


def _rank(question: Question, out: Crossing, entry: Crossing) -> tuple[int, int, float] | None:
    """How surely a way out and a way in are one: the same memory, then likeness, then nearness; None when not at all.

    A plain number is likely only from a number that left while the tape recorded.
    """
    graph = question.graph
    same = out.memory > 0 and out.memory == entry.memory
    alike = graph.shape(out.tensor) == graph.shape(entry.tensor)
    during = question.tape is not None and bool(question.tape.during(np.array([out.t]))[0])
    equal = alike and _equal(graph, out.tensor, entry.tensor)
    if not same and not (equal or during or (alike and out.kind != _PYTHON)):
        return None
    return int(same), 4 * equal + 2 * alike + during, -(entry.t - out.t)


def _equal(graph: Graph, one: int, other: int) -> bool:
    """Whether two tensors are known to have had the same single value."""
    stats = graph.recording.stats
    rows = graph.links.stats[[one, other]]
    if graph.size(one) != 1 or (rows < 0).any():
        return False
    low, high = stats.min[rows].tolist()
    return math.isclose(low, high, rel_tol=1e-6)


def _described(question: Question, found: Passage, ways: Ways) -> Gap:
    graph, name = question.graph, question.graph.name(found.out.tensor)
    place, back = graph.place(found.out.site), graph.place(found.back.site)
    text = "" if place is None else place.text
    how = {"numpy": f"{name}.numpy()", "array": f"a NumPy array of {name}", "python": f"a Python number from {name}"}
    says = f"it left the engine as {how[EXITS[found.out.kind]]}"
    if back is not None and place is not None and back.line != place.line:
        says += f" and came back as {graph.name(found.back.tensor)} on line {back.line}"
    fix = advice.stay_inside(name, text, EXITS[found.out.kind])
    if back is not None and "np." not in text and "np." in back.text:
        fix = advice.stay_inside(name, back.text, EXITS[found.out.kind])
    site = found.out.site if found.out.site >= 0 else found.back.site
    event = int(graph.links.producer[found.out.tensor])
    return Gap("left_engine", says, fix, site, event, found.out.tensor, ways, certain=found.certain)
