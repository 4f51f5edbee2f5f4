"""The digits lens: how many digits of each tensor are right, and which line loses them.

The program runs again in a higher precision, and what it gives is taken for the truth: the run has the same inputs, and
its own rounding is far below that of the first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

import numpy as np

from tapeviz.analysis.graph import Graph, Site, graph_of
from tapeviz.engine.errors import OpError
from tapeviz.engine.tensor import wrap
from tapeviz.exports.numbers import plural
from tapeviz.recording import Recording
from tapeviz.tape.rewrites import Formula, Rewrite, rewrites

__all__ = ["Digits", "Loss", "digits", "inside_graphs"]

# An op loses digits when it makes so few of what had so many. A number of float32 has 7, and rounding takes one or two
# in sums that are long and healthy.
_FEW: Final = 3.0
_ENOUGH: Final = 4.5
# Of a dtype that has fewer digits, float16 above all, these parts of what it has.
_FEW_PART: Final = 0.43
_ENOUGH_PART: Final = 0.65
_STEPS: Final = 3  # ops from one that loses digits to the end of a formula that is known
# Traits of ops that give elements as they are.
_KEEP: Final = frozenset(("moves", "identity", "reshapes", "cast", "selects"))
# The tenth worst of a hundred elements stands for the tensor: that a few cancel to almost nothing is healthy.
_PART: Final = 10


class Run(Protocol):
    """A tape: what is asked of it."""

    @property
    def recording(self) -> Recording:
        """The recording."""

    @property
    def counterparts(self) -> dict[int, int]:
        """The ids of its tensors by those of the run before."""

    def elements(self, number: Any) -> Any:
        """The elements of a tensor by its id, None where they are not kept."""


@dataclass(frozen=True, slots=True)
class Loss:
    """An op whose result has few right digits though its inputs have many.

    Attributes:
        event: its number.
        tensor: the number of what it made.
        op: its name.
        place: the line.
        before, after: how many digits are right, of its inputs at least and of its result.
        rewrite: another way to compute it that keeps more, as Python; empty where none is known.
        better: how many digits that has right.
    """

    event: int
    tensor: int
    op: str
    place: Site | None
    before: float
    after: float
    rewrite: str = ""
    better: float = 0.0

    def __str__(self) -> str:
        where = "" if self.place is None else f"{self.place}: "
        lines = [
            f"{where}{self.op} has {plural(round(self.after), 'digit')} right of what had {self.before:.0f}",
            *([] if self.place is None else [f"    {self.place.text.strip()}"]),
        ]
        if self.rewrite:
            lines.append(f"    {self.rewrite} has {self.better:.0f}")
        return "\n".join(lines)


class Digits(list[Loss]):
    """Where digits are lost, in the order of the program; prints as sentences.

    Attributes:
        right: how many digits are right of each tensor that could be compared, by its id.
        precision: in which the program ran again.
    """

    def __init__(self, losses: list[Loss], right: dict[int, float], precision: str) -> None:
        super().__init__(losses)
        self.right = right
        self.precision = precision

    def __repr__(self) -> str:
        if not self:
            return f"No line loses digits: {len(self.right):,} tensors compared with a run in {self.precision}."
        return "\n".join(map(str, self))

    __str__ = __repr__


def digits(tape: Run, exact: Run, precision: str) -> Digits:
    """The lines of a program that lose digits, as its run in a higher precision shows."""
    graph = graph_of(tape.recording)
    pairs = inside_graphs(graph, graph_of(exact.recording)) | exact.counterparts
    right = {
        number: found
        for number, other in pairs.items()
        if (found := _right(tape.elements(number), exact.elements(other))) is not None
    }
    formula = Formula(graph, lambda row: tape.elements(graph.tensor_id(row)))
    losses, began = [], dict[int, float]()
    for event in np.flatnonzero(graph.ran).tolist():
        if graph.is_backward(event) or not _may_lose(graph, event):
            continue
        for output in graph.outputs[event]:
            loss = _loss(graph, event, output, right, began)
            if loss is not None:
                truths = {number: exact.elements(other) for number, other in pairs.items()}
                losses.append(_with_rewrite(loss, graph, formula, tape, truths))
    return Digits(losses, right, precision)


def _may_lose(graph: Graph, event: int) -> bool:
    """Whether another way to compute it could keep digits: not of a choice, nor of a sum of what is given."""
    return graph.said(event, "family") not in ("reduction", "linalg") and not graph.traits(event) & _KEEP


def inside_graphs(graph: Graph, other: Graph, *, backward: bool = False) -> dict[int, int]:
    """The tensors that the same ops on the same lines made in both, by their ids; of traced functions, above all.

    With ``backward`` those that ops of backward passes made.
    """
    there = dict(_runs(other, backward))
    found: dict[int, int] = {}
    for key, event in _runs(graph, backward):
        ours, theirs = graph.outputs[event], other.outputs[there[key]] if key in there else []
        if len(ours) == len(theirs):
            found.update(zip(graph.tensor_ids(ours), other.tensor_ids(theirs), strict=True))
    return found


def _runs(graph: Graph, backward: bool) -> Iterator[tuple[tuple[str, str, int], int]]:
    """Each op that ran forward, or backward: what it is, its line, and the how manieth run of it there that was."""
    counts: Counter[tuple[str, str]] = Counter()
    for event in np.flatnonzero(graph.ran).tolist():
        if bool(graph.is_backward(event)) is backward:
            key = graph.op(event), str(graph.place(graph.site(event)))
            counts[key] += 1
            yield (*key, counts[key]), event


def _right(array: Any, truth: Any) -> float | None:
    """How many decimal digits of an array are right, of all but a few elements; None where that is not known."""
    if array is None or truth is None or array.dtype.kind != "f" or truth.dtype.itemsize <= array.dtype.itemsize:
        return None
    if array.shape != truth.shape or not array.size:
        return None
    most = -np.log10(np.finfo(array.dtype).eps)
    ours, true = array.astype(truth.dtype).ravel(), truth.ravel()
    with np.errstate(all="ignore"):
        error = np.abs(ours - true) / np.abs(true)
        error[ours == true] = 0
        tiny = np.finfo(array.dtype).tiny
        error[(np.abs(true) < tiny) & (np.abs(ours) < tiny)] = 0  # the dtype has no such number
        error[np.isnan(ours) & np.isnan(true)] = 0
        found = np.clip(-np.log10(error), 0.0, most) + 0.0
    found[np.isnan(found)] = 0
    return float(np.partition(found, found.size // _PART)[found.size // _PART])


def _loss(graph: Graph, event: int, output: int, right: dict[int, float], began: dict[int, float]) -> Loss | None:
    number = graph.tensor_id(output)
    few, enough = _bounds(np.dtype(graph.dtype(output)) if graph.is_floating[output] else np.dtype("f4"))
    inputs = [row for row in graph.inputs[event] if graph.is_floating[row]]
    known = {row: digits for row in inputs if (digits := right.get(graph.tensor_id(row))) is not None}
    after = right.get(number)
    if after is None or len(known) < len(set(inputs)) or not known:
        return None
    before = min(
        began.get(row, digits) if _is_sum_before(graph, event, row) else digits for row, digits in known.items()
    )
    is_lost = after < few and before >= enough
    began[output] = after if is_lost else before  # told once
    if not is_lost:
        return None
    place = graph.place(graph.site(event))
    return Loss(graph.event_id(event), number, graph.op(event), place, before, after)


def _bounds(dtype: np.dtype) -> tuple[float, float]:
    """How many digits are few, and how many enough, of those that a dtype has."""
    most = -float(np.log10(np.finfo(dtype).eps))
    return min(_FEW, _FEW_PART * most), min(_ENOUGH, _ENOUGH_PART * most)


def _is_sum_before(graph: Graph, event: int, row: int) -> bool:
    """Whether an op adds, in a loop, to what it has made on the same line before: such a sum loses little each time."""
    before = int(graph.links.producer[row])
    if before < 0 or "sum" not in graph.traits(event) or graph.said(event, "family") != "elementwise":
        return False
    return graph.op(before) == graph.op(event) and graph.site(before) == graph.site(event)


def _with_rewrite(loss: Loss, graph: Graph, formula: Formula, tape: Run, truths: Mapping[int, Any]) -> Loss:
    """The loss, with another way to compute it, or what is made of it, if one keeps digits of the values at hand."""
    lost = int(graph.links.tensor_rows(np.array([loss.tensor]))[0])
    for row in formula.made_from(lost, _STEPS):
        truth = truths.get(graph.tensor_id(row))
        for candidate in rewrites(formula, row) if truth is not None else ():
            source = tape.elements(graph.tensor_id(candidate.source))
            better = None if source is None else _digits_of(candidate, source, truth)
            if better is not None and better >= _bounds(source.dtype)[1]:
                text = candidate.text.format(graph.name(candidate.source) or "x")
                return replace(loss, rewrite=text, better=better)
    return loss


def _digits_of(candidate: Rewrite, source: Any, truth: Any) -> float | None:
    """How many digits a rewrite has right; None where it gives something else."""
    try:
        found = candidate.compute(wrap(source))._a
    except OpError:
        return None
    return _right(found.reshape(truth.shape), truth) if found.size == truth.size else None
