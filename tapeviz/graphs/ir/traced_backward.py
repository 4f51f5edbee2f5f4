"""Backward passes inside a trace: what tapes did while the graph was built, told again each time that it runs.

While tracing a tape's walk makes nodes. Which of them belong to which step of which pass is noted here, by their
positions in the graph; when the graph runs node by node, whoever records is told of tapes, passes, steps and
contributions as of an eager program.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

from tapeviz.engine.state import local, next_id
from tapeviz.engine.userline import outside

if TYPE_CHECKING:
    from tapeviz.graphs.ir.graph import Graph

__all__ = ["Replay", "TraceObserver"]


def _place() -> tuple[Any, int]:
    frame = outside(sys._getframe(2))
    return (None, 0) if frame is None else (frame.f_code, frame.f_lasti)


def _nothing(*_details: Any) -> None:
    """What is no business of a trace."""


class TraceObserver:
    """Watches the building of a graph. ``facts`` are tuples: how many nodes there were, what happened, and details."""

    keep = None

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self.facts: list[tuple[Any, ...]] = []

    def __getattr__(self, _name: str) -> Any:
        return _nothing

    def _note(self, *fact: Any) -> None:
        self.facts.append((len(self._graph.nodes), *fact))

    def tape_changed(self, tape: Any, change: str) -> None:
        """A tape entered, exited, stopped, resumed, was reset or used up."""
        self._note("tape", tape._number, change, tape._persistent, tape._accessed, _place())

    def watched(self, tape: Any, tensor: Any, variable: Any, automatic: bool) -> None:  # noqa: ARG002 - the protocol
        """A tape was told to watch."""
        self._note("watched", tape._number, tensor._id, automatic)

    def asked(self, request: Any) -> Any:
        """A backward pass begins."""
        # The history and another tape: the pass itself is followed, and its ops are the program's.
        followed = len(local.state.tapes) > 1
        self._note("asked", request.tape, _place(), followed)

    def seeded(self, number: int, gradient: Any) -> None:
        """It begins at this tensor, with this gradient."""
        self._note("seeded", number, gradient._id)

    def contributed(self, contribution: tuple[int, int, int, int]) -> None:
        """A step added to a gradient."""
        self._note("contributed", *contribution)

    def stepped(self, step: tuple[Any, Any, float, float]) -> None:
        """One op's part of the pass is done."""
        self._note("stepped", step[0] if step[0].__class__ is tuple else (step[0],))

    def answered(self, _token: Any, request: Any, gradients: Sequence[Any], _error: Any) -> None:
        """The pass ended with these gradients."""
        given = []
        for source, numbers, gradient in zip(request.sources, request.numbers, gradients, strict=False):
            variable = source if hasattr(source, "_read") else None
            followed = numbers or [(source if variable is None else source._now())._id]
            given.append((variable, followed, None if gradient is None else gradient._id))
        self._note("answered", [target._id for target in request.targets], given)


class Replay:
    """Tells the facts of a graph in one run of it, with the run's tensors.

    ``told`` is the recorder's part. Facts about tensors that this run does not compute are left out.
    """

    def __init__(self, graph: Graph, values: dict[int, Any], told: Any) -> None:
        self._facts = graph.seen.facts
        made = [tensor for node in graph.nodes for tensor in node.outputs if hasattr(tensor, "_i")]
        self._symbolic = {tensor._id: id(tensor) for tensor in made}
        self._values = values
        self._told = told
        self._at = 0
        self._since = perf_counter()
        self._tapes: dict[int, int] = {}
        self._quiet: list[bool] = []

    @property
    def quiet(self) -> bool:
        """Whether nodes that run now are parts of a step of a pass, and no ops of the program."""
        return bool(self._quiet) and self._quiet[-1]

    def before(self, node: int) -> None:
        """Tell what happened before this node was made."""
        while self._at < len(self._facts) and self._facts[self._at][0] <= node:
            _, kind, *details = self._facts[self._at]
            self._at += 1
            getattr(self, f"_{kind}")(*details)

    def _tensor(self, number: int) -> Any:
        return self._values.get(self._symbolic.get(number, 0))

    def _tape_number(self, number: int) -> int:
        if number not in self._tapes:
            self._tapes[number] = next_id()
        return self._tapes[number]

    def _tape(self, number: int, change: str, persistent: bool, accessed: int, place: Any) -> None:
        self._told.tape(self._tape_number(number), change, persistent, accessed, place)

    def _watched(self, tape: int, number: int, automatic: bool) -> None:
        if (tensor := self._tensor(number)) is not None:
            self._told.watched(self._tape_number(tape), tensor, automatic)

    def _asked(self, tape: int, place: Any, followed: bool) -> None:
        self._quiet.append(not followed)
        self._told.asked(self._tape_number(tape), place)
        self._since = perf_counter()

    def _seeded(self, number: int, gradient: int) -> None:
        tensor, seed = self._tensor(number), self._tensor(gradient)
        if tensor is not None and seed is not None:
            self._told.seeded(tensor, seed)

    def _contributed(self, number: int, position: int, part: int, whole: int) -> None:
        tensor, addend = self._tensor(number), self._tensor(part)
        if tensor is not None and addend is not None:
            self._told.contributed(tensor, position, addend, self._tensor(whole) if whole else None)

    def _stepped(self, outs: tuple[int, ...]) -> None:
        tensors = [tensor for number in outs if (tensor := self._tensor(number)) is not None]
        now = perf_counter()
        if tensors:
            self._told.stepped(tensors, self._since, now)
        self._since = now

    def _answered(self, targets: list[int], given: list[Any]) -> None:
        self._quiet.pop()
        target = next((tensor for number in targets if (tensor := self._tensor(number)) is not None), None)
        answers = []
        for variable, numbers, gradient in given:
            sources = [tensor for number in numbers if (tensor := self._tensor(number)) is not None]
            if sources:
                answers.append((variable, sources, None if gradient is None else self._tensor(gradient)))
        self._told.answered(target, answers)
