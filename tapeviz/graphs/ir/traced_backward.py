"""Backward passes inside a trace: what tapes did while the graph was built, replayed each time that it runs.

While tracing a tape's walk makes nodes. Which of them belong to which step of which pass is noted here, by their
positions in the graph; when the graph runs node by node, the observer gets the calls that it would get from an eager
program.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

from tapeviz.engine.backward import Request
from tapeviz.engine.state import local, next_id
from tapeviz.engine.userline import outside

if TYPE_CHECKING:
    from tapeviz.engine.observer import Observer

__all__ = ["BackwardReplay", "BackwardTrace"]


def _site() -> tuple[Any, int]:
    frame = outside(sys._getframe(2))
    return (None, 0) if frame is None else (frame.f_code, frame.f_lasti)


def _ignore(*_details: Any) -> None:
    """What is no business of a trace."""


class BackwardTrace:
    """Observes the building of a graph. ``calls`` are tuples: how many nodes there were, the callback, and details."""

    on_addend = None

    def __init__(self, nodes: Sequence[Any]) -> None:
        self._nodes = nodes
        self.calls: list[tuple[Any, ...]] = []

    def __getattr__(self, _name: str) -> Any:
        return _ignore

    def _note(self, *call: Any) -> None:
        self.calls.append((len(self._nodes), *call))

    def on_tape(self, *details: Any) -> None:
        """A tape changed."""
        self._note("on_tape", *details, _site())

    def on_watch(self, tape: int, tensor: Any, variable: Any, automatic: bool) -> None:  # noqa: ARG002 - the protocol
        """A tape follows a tensor from here on."""
        self._note("on_watch", tape, tensor._id, automatic)

    def on_backward_begin(self, request: Any) -> Any:
        """A backward pass begins."""
        # The history and another tape: the pass itself is followed, and its ops are the program's.
        followed = len(local.state.tapes) > 1
        self._note("on_backward_begin", request.tape, _site(), followed)

    def on_seed(self, number: int, gradient: Any) -> None:
        """The pass begins at this tensor, with this gradient."""
        self._note("on_seed", number, gradient._id)

    def on_adjoint(self, adjoint: tuple[int, int, int, int]) -> None:
        """A contribution was added to a gradient."""
        self._note("on_adjoint", *adjoint)

    def on_vjp(self, step: tuple[Any, Any, float, float]) -> None:
        """One op's part of the pass is done."""
        self._note("on_vjp", step[0] if step[0].__class__ is tuple else (step[0],))

    def on_backward_end(self, _token: Any, request: Any, gradients: Sequence[Any], _error: Any) -> None:
        """The pass ended with these gradients."""
        found = []
        for source, numbers, gradient in zip(request.sources, request.numbers, gradients, strict=False):
            variable = source if hasattr(source, "_read") else None
            followed = numbers or [(source if variable is None else source._now())._id]
            found.append((variable, followed, None if gradient is None else gradient._id))
        self._note("on_backward_end", [target._id for target in request.targets], found, request.fills_zeros)


class BackwardReplay:
    """Gives the calls noted of a graph to an observer in one run of it, with the run's tensors.

    Those about tensors that this run does not compute are left out.
    """

    def __init__(self, nodes: Sequence[Any], trace: BackwardTrace, values: dict[int, Any], observer: Observer) -> None:
        self._calls = trace.calls
        symbolic = [tensor for node in nodes for tensor in node.outputs if hasattr(tensor, "_i")]
        self._symbolic = {tensor._id: id(tensor) for tensor in symbolic}
        self._values = values
        self._observer = observer
        self._at = 0
        self._since = perf_counter()
        self._tapes: dict[int, int] = {}
        self._open: list[tuple[Any, int, bool]] = []  # of each pass: token, tape, and whether its nodes are quiet

    @property
    def quiet(self) -> bool:
        """Whether nodes that run now are parts of a step of a pass, and no ops of the program."""
        return bool(self._open) and self._open[-1][2]

    def before(self, node: int) -> None:
        """Replay what happened before this node was made."""
        while self._at < len(self._calls) and self._calls[self._at][0] <= node:
            _, callback, *details = self._calls[self._at]
            self._at += 1
            getattr(self, f"_{callback}")(*details)

    def _tensor(self, number: int) -> Any:
        return self._values.get(self._symbolic.get(number, 0))

    def _tensors(self, numbers: Sequence[int]) -> list[Any]:
        return [tensor for number in numbers if (tensor := self._tensor(number)) is not None]

    def _tape(self, number: int) -> int:
        if number not in self._tapes:
            self._tapes[number] = next_id()
        return self._tapes[number]

    def _on_tape(self, number: int, *details: Any) -> None:
        self._observer.on_tape(self._tape(number), *details)

    def _on_watch(self, tape: int, number: int, automatic: bool) -> None:
        if (tensor := self._tensor(number)) is not None:
            self._observer.on_watch(self._tape(tape), tensor, None, automatic)

    def _on_backward_begin(self, tape: int, site: Any, followed: bool) -> None:
        number = self._tape(tape)
        token = self._observer.on_backward_begin(Request(number, [], [], [], None), site)
        self._open.append((token, number, not followed))
        self._since = perf_counter()

    def _on_seed(self, number: int, gradient: int) -> None:
        tensor, seed = self._tensor(number), self._tensor(gradient)
        if tensor is not None and seed is not None:
            self._observer.on_seed(tensor._id, seed)

    def _on_adjoint(self, number: int, position: int, addend: int, total: int) -> None:
        tensor, part = self._tensor(number), self._tensor(addend)
        if tensor is None or part is None:
            return
        whole = self._tensor(total) if total else None
        self._observer.on_adjoint((tensor._id, position, part._id, 0 if whole is None else whole._id))
        if self._observer.on_addend is not None:
            self._observer.on_addend((part._a, (part if whole is None else whole)._a))

    def _on_vjp(self, outs: tuple[int, ...]) -> None:
        numbers = tuple([tensor._id for tensor in self._tensors(outs)])
        now = perf_counter()
        if numbers:
            self._observer.on_vjp((numbers[0] if len(numbers) == 1 else numbers, -1, self._since, now))
        self._since = now

    def _on_backward_end(self, targets: list[int], found: list[Any], fills_zeros: bool) -> None:
        token, tape, _ = self._open.pop()
        request, gradients = Request(tape, self._tensors(targets), [], [], None, fills_zeros), []
        for variable, numbers, gradient in found:
            if tensors := self._tensors(numbers):
                request.sources.append(tensors[-1] if variable is None else variable)
                request.numbers.append([tensor._id for tensor in tensors])
                gradients.append(None if gradient is None else self._tensor(gradient))
        self._observer.on_backward_end(token, request, gradients, None)
