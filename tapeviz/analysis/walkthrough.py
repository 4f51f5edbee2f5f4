"""A program and its backward pass as steps that can be told one after the other, with the numbers of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tapeviz.analysis.graph import Graph, Site, graph_of
from tapeviz.analysis.links import rows_of
from tapeviz.recording import Recording
from tapeviz.recording.schema import KINDS

__all__ = ["Quantity", "Step", "steps_of"]

_OP: Final = KINDS.index("op")

Elements = Callable[[int], Any]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A tensor that a step reads or makes.

    Attributes:
        name: what the user calls it; of a gradient ``d loss / d w``.
        tensor: its id.
        shape: its sizes.
        value: its elements, None where they were not kept.
    """

    name: str
    tensor: int
    shape: tuple[int, ...]
    value: Any


@dataclass(frozen=True, slots=True)
class Step:
    """An op that ran, or a move of the backward pass.

    Attributes:
        kind: ``"forward"``; ``"seed"``: the gradient that a pass begins with; ``"backward"``: upstream times local
            derivative is a contribution; ``"sum"``: a contribution is added to those before it.
        op: the op's name.
        event: its id.
        site: the line; None where there is none.
        formula: what it computes, as LaTeX: of a backward step for the input in question, with the sum over the axes
            along which that was broadcast.
        inputs: what the op read.
        upstream: the gradient that arrives at the op's output; of a sum what was there before; None for the others.
        result: what it gives: the op's output, the contribution, the sum.
        summed_axes: over which axes of the upstream gradient a contribution is summed, because the input was broadcast
            along them.
        elementwise: whether each element of the output comes of one element of each input.
    """

    kind: str
    op: str
    event: int
    site: Site | None
    formula: str
    inputs: tuple[Quantity, ...]
    upstream: Quantity | None
    result: Quantity
    summed_axes: tuple[int, ...] = ()
    elementwise: bool = False


def steps_of(recording: Recording, elements: Elements, events: Iterable[int] | None = None) -> list[Step]:
    """The steps in the order in which they ran; with ``events`` (ids) those of these alone.

    A tensor without elements kept has the value None: that is no 0.
    """
    return list(_Telling(graph_of(recording), elements).steps(None if events is None else set(events)))


class _Telling:
    """Goes through a recording. Events and tensors are rows."""

    def __init__(self, graph: Graph, elements: Elements) -> None:
        self._graph = graph
        self._elements = elements
        gradients = graph.recording.gradients
        event = rows_of(graph.recording.events.id, gradients.backward)
        columns = [
            graph.links.tensor_rows(column) for column in (gradients.tensor, gradients.gradient, gradients.addend)
        ]
        self._given: dict[int, list[tuple[int, int, int]]] = {}
        for row, *rest in zip(event.tolist(), *(column.tolist() for column in columns), strict=True):
            self._given.setdefault(row, []).append((rest[0], rest[1], rest[2]))
        self._adjoint: dict[int, int] = {}
        self._target = ""
        self._made = self._first_values()

    def _first_values(self) -> set[int]:
        """What variables held when they were made: no op of the program's, for people."""
        recording = self._graph.recording
        made = set(recording.variables.id[recording.variables.site >= 0].tolist())
        first: dict[int, int] = {}
        for row, variable in enumerate(recording.tensors.variable.tolist()):
            if variable in made:
                first.setdefault(variable, row)
        return set(first.values())

    def steps(self, wanted: set[int] | None) -> Iterator[Step]:
        """The steps, in the order of the events."""
        graph = self._graph
        is_op = graph.recording.events.kind == _OP
        for row in self._order():
            shown = wanted is None or graph.event_id(row) in wanted
            told = self._backward(row) if row in self._given else self._forward(row) if is_op[row] else iter(())
            for step in told:  # what is not shown is gone through too: its gradients arrive elsewhere
                if shown:
                    yield step

    def _order(self) -> list[int]:
        """The events as they are told: a backward step that another tape follows comes after the ops it consists of."""
        origin, producer = self._graph.links.origin, self._graph.links.producer
        last = {
            row: max([row, *(int(producer[addend]) for _, _, addend in given if addend >= 0)])
            for row, given in self._given.items()
            if origin[row] >= 0
        }
        return sorted(range(self._graph.events), key=lambda row: (last.get(row, row), row in last, row))

    def _forward(self, row: int) -> Iterator[Step]:
        graph = self._graph
        if graph.ran[row] and graph.outputs[row] and graph.outputs[row][0] not in self._made:
            inputs = tuple(map(self._quantity, graph.operands[row]))
            result = self._quantity(graph.outputs[row][0])
            yield Step(
                "forward", graph.op(row), graph.event_id(row), graph.place(graph.site(row)), graph.said(row, "formula"),
                inputs, None, result,
            )  # fmt: skip

    def _backward(self, row: int) -> Iterator[Step]:
        graph, forward = self._graph, int(self._graph.links.origin[row])
        if forward < 0:
            yield from self._seeds(row)
            return
        formulas = graph.said(forward, "vjp_formula").split("\n")
        operands, taken = graph.operands[forward], dict[int, int]()
        out = next((made for made in graph.outputs[forward] if made in self._adjoint), -1)
        upstream = self._gradient(out) if out >= 0 else None
        inputs = tuple(map(self._quantity, operands))
        place = graph.place(graph.site(row))
        for tensor, total, addend in self._given[row]:
            slot = self._slot(operands, tensor, taken)
            formula = formulas[slot] if slot < len(formulas) else formulas[-1] if len(formulas) == 1 else ""
            part = self._quantity(addend, self._name(tensor))
            axes = self._summed(forward, upstream, graph.shape(tensor), part.shape)
            yield Step(
                "backward", graph.op(forward), graph.event_id(row), place, _with_sum(formula, axes), inputs, upstream,
                part, axes, graph.said(forward, "family") == "elementwise",
            )  # fmt: skip
            if total != addend and tensor in self._adjoint:
                before = self._gradient(tensor)
                self._adjoint[tensor] = total
                yield Step(
                    "sum", graph.op(forward), graph.event_id(row), place, "", (part,), before, self._gradient(tensor)
                )
            self._adjoint[tensor] = total

    def _seeds(self, row: int) -> Iterator[Step]:
        graph = self._graph
        self._adjoint = {}  # each pass begins with nothing
        for tensor, total, _ in self._given[row]:
            self._target = graph.name(tensor)
            self._adjoint[tensor] = total
            yield Step(
                "seed", "gradient", graph.event_id(row), graph.place(graph.site(row)), "", (self._quantity(tensor),),
                None, self._gradient(tensor),
            )  # fmt: skip

    def _summed(
        self, forward: int, upstream: Quantity | None, wanted: tuple[int, ...], part: tuple[int, ...]
    ) -> tuple[int, ...]:
        """The axes over which a gradient is summed, because the op broadcasts: all axes, or those before matrices."""
        if upstream is None or wanted != part:
            return ()
        if self._graph.said(forward, "family") == "elementwise":
            return _broadcast(upstream.shape, wanted)
        matrices = r"\bar C" in self._graph.said(forward, "vjp_formula") and len(wanted) > 1
        return _broadcast(upstream.shape[:-2], wanted[:-2]) if matrices else ()

    @staticmethod
    def _slot(operands: list[int], tensor: int, taken: dict[int, int]) -> int:
        """Which input a contribution is for: the next of those that are this tensor."""
        places = [slot for slot, other in enumerate(operands) if other == tensor]
        count = taken[tensor] = taken.get(tensor, -1) + 1
        return places[count] if count < len(places) else 0

    def _name(self, tensor: int) -> str:
        return f"d {self._target or 'target'} / d {self._graph.name(tensor)}"

    def _gradient(self, tensor: int) -> Quantity:
        return self._quantity(self._adjoint[tensor], self._name(tensor))

    def _quantity(self, tensor: int, name: str | None = None) -> Quantity:
        graph = self._graph
        number = graph.tensor_id(tensor)
        value = self._elements(number) if tensor >= 0 else None
        return Quantity(
            name or self._label(tensor, value), number, graph.shape(tensor) if tensor >= 0 else (),
            None if value is None else np.asarray(value),
        )  # fmt: skip

    def _label(self, tensor: int, value: Any) -> str:
        """Its name; a number that has none and that no op made is called by its value."""
        graph = self._graph
        is_plain = tensor not in graph.names and graph.links.producer[tensor] < 0 and np.size(value) == 1
        if value is None or not is_plain or graph.recording.tensors.variable[tensor] >= 0:
            return graph.name(tensor)
        return str(np.asarray(value).reshape(()))


def _with_sum(formula: str, axes: tuple[int, ...]) -> str:
    """A gradient's formula for an input that was broadcast along these axes."""
    left, equals, right = formula.partition("=")
    if not axes or not equals or right.lstrip().startswith(r"\sum"):
        return formula
    word = "axis" if len(axes) == 1 else "axes"
    return rf"{left.rstrip()} = \sum_{{\text{{{word} {', '.join(map(str, axes))}}}}} {right.strip()}"


def _broadcast(whole: tuple[int, ...], own: tuple[int, ...]) -> tuple[int, ...]:
    """The axes of ``whole`` along which ``own`` was broadcast to it."""
    if len(own) > len(whole):
        return ()
    padded = (1,) * (len(whole) - len(own)) + own
    fits = all(size in (1, other) for size, other in zip(padded, whole, strict=True))
    return tuple(axis for axis, (size, other) in enumerate(zip(padded, whole, strict=True)) if size < other) * fits
