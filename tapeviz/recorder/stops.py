"""Stopping at the first op for which something holds: the program ends there, and its recording is kept."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from types import CodeType
from typing import Any, Final

from tapeviz.backends import backend_of

__all__ = ["Moment", "Stopped", "stop_where"]


class Stopped(BaseException):
    """An op ran for which ``stop=`` holds, or took its gradient. It is no error: ``except Exception`` lets it pass.

    Attributes:
        moment: the op and what it gave.
    """

    def __init__(self, text: str, moment: Moment) -> None:
        where = " in the backward pass" if moment.phase == "backward" else ""
        line = f", line {moment.line}" if moment.line else ""
        super().__init__(f"{text} holds for {moment.op}{where}{line}")
        self.moment = moment


@dataclass(frozen=True, slots=True)
class Moment:
    """An op that has just run, or the step of a backward pass through it.

    Attributes:
        op: the op's name.
        phase: ``"forward"`` or ``"backward"``.
        line: the user's line, 0 where there is none.
        seconds: how long it took.
        arrays: what it gave; of a backward step its contributions to gradients, and these with them.
        devices: where those are, such as ``CPU:0``.
        modules: names of the scopes, layers and functions that it is in, from the inside out.
    """

    op: str
    phase: str
    line: int
    seconds: float
    arrays: tuple[Any, ...]
    devices: tuple[str, ...]
    modules: tuple[str, ...]


def stop_where(recorder: Any, text: str, holds: Callable[[Moment], bool]) -> None:
    """Have a recorder raise `Stopped` at the first moment for which a condition holds; graphs run node by node then."""
    _Stop(recorder, text, holds)


class _Stop:
    """Stands behind a recorder's callbacks for ops and gradients, and asks after each."""

    def __init__(self, recorder: Any, text: str, holds: Callable[[Moment], bool]) -> None:
        self._text, self._holds = text, holds
        self._spans, self._users = recorder.packer.spans, recorder._users
        self._made: dict[Any, tuple[str, int]] = {}
        self._contributed: list[Any] = []
        self._is_over = False
        for name in ("on_unary_op", "on_binary_op", "on_op", "on_vjp"):
            setattr(recorder, name, getattr(self, name)(getattr(recorder, name)))
        recorder.on_addend = self._adding(recorder.on_addend)
        recorder.runs_nodes = True

    def on_unary_op(self, callback: Any) -> Any:
        """The callback for an op of one input."""

        def on_unary_op(op: Any, x: Any, i: int, number: int, array: Any, *more: Any) -> None:
            callback(op, x, i, number, array, *more)
            self._ran(op, number, (array,), more[-1] - more[-2])

        return on_unary_op

    def on_binary_op(self, callback: Any) -> Any:
        """The callback for an op of two inputs."""

        def on_binary_op(op: Any, x: Any, y: Any, i: int, j: int, number: int, array: Any, *more: Any) -> None:
            callback(op, x, y, i, j, number, array, *more)
            self._ran(op, number, (array,), more[-1] - more[-2])

        return on_binary_op

    def on_op(self, callback: Any) -> Any:
        """The callback for any op, and for a node of a graph."""

        def on_op(op: Any, inputs: Any, output: Any, attrs: Any, t0: float, t1: float, node: Any = None) -> None:
            callback(op, inputs, output, attrs, t0, t1, node)
            outputs = output if isinstance(output, tuple) else (output,)
            numbers = tuple(tensor._id for tensor in outputs)
            line = 0 if node is None else _line(node.code, node.instruction)
            key = numbers if isinstance(output, tuple) else numbers[0]
            self._ran(op, key, tuple(tensor._a for tensor in outputs), t1 - t0, line)

        return on_op

    def on_vjp(self, callback: Any) -> Any:
        """The callback for a step of a backward pass."""

        def on_vjp(step: Any) -> None:
            callback(step)
            outs, _, t0, t1 = step
            op, line = self._made.get(outs, ("an op from before", 0))
            arrays = tuple(self._contributed)
            self._contributed.clear()
            self._ask(Moment(op, "backward", line, t1 - t0, arrays, _devices(arrays), tuple(self._modules())))

        return on_vjp

    def _adding(self, callback: Any) -> Any:
        def on_addend(pair: Any) -> None:
            if callback is not None:
                callback(pair)
            self._contributed += [getattr(array, "_a", array) for array in pair]

        return on_addend

    def _ran(self, op: Any, key: Any, arrays: tuple[Any, ...], seconds: float, line: int = 0) -> None:
        if not line:
            line = getattr(self._users.nearest(sys._getframe(2)), "f_lineno", 0)
        self._made[key] = op.name, line
        self._ask(Moment(op.name, "forward", line, seconds, arrays, _devices(arrays), tuple(self._modules())))

    def _modules(self) -> Iterator[str]:
        span = self._spans.innermost
        while span is not None:
            yield span.name
            span = span.outer

    def _ask(self, moment: Moment) -> None:
        if not self._is_over and self._holds(moment):
            self._is_over = True  # what the program does while it ends isn't asked about
            raise Stopped(self._text, moment)


_BYTES: Final = 2  # of an instruction


def _line(code: CodeType | None, instruction: int) -> int:
    if code is None or instruction < 0:
        return 0
    found = next(islice(code.co_positions(), instruction // _BYTES, None), None)
    return (found and found[0]) or 0


def _devices(arrays: tuple[Any, ...]) -> tuple[str, ...]:
    return tuple(backend_of(array).name for array in arrays)
