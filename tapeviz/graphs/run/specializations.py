"""The functions of a program for certain shapes: written from a plan, or, where that failed, its nodes one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import CodeType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapeviz.engine.errors import OpError
from tapeviz.graphs.run.failures import line_in
from tapeviz.graphs.run.interpreter import Runnable, run_once

if TYPE_CHECKING:
    from tapeviz.graphs.ir.graph import Node
    from tapeviz.graphs.run.codegen import Codegen

__all__ = ["NodeVersion", "Version"]

_MOST_IDLE: Final = 4
_MOST_IDLE_BYTES: Final = 64 << 20
_BY_CHANCE: Final = (OpError, np.linalg.LinAlgError)  # what other random numbers may not bring about again


class Version:
    """The function of a program for certain shapes, with sets of buffers: one for each run at a time.

    Args:
        file: what the program is called in tracebacks.
        stage: what has been done to make it: "compile", "buffers" or "plan".
        text: what is written.
        nbytes: the size of its buffers.
    """

    def __init__(self, file: str, stage: str, text: Codegen, nbytes: int) -> None:
        self.stage = stage
        self.source: str = text.source
        self.lines: dict[int, Node] = text.lines
        self._text = text
        self._file = file
        self._code: CodeType = compile(text.source, file, "exec")
        self.most = _MOST_IDLE if nbytes < _MOST_IDLE_BYTES else 1
        self.idle: list[Callable[..., tuple[Any, ...]]] = [self.made()]

    def run(self, arrays: Sequence[Any]) -> tuple[Any, ...]:
        """Run it; a run that begins while another one lasts has buffers of its own."""
        function = self.taken()
        try:
            return function(*arrays)
        finally:
            self.put_back(function)

    def taken(self) -> Callable[..., tuple[Any, ...]]:
        """The function, with buffers that nobody else uses until it is put back."""
        try:
            return self.idle.pop()
        except IndexError:
            return self.made()

    def put_back(self, function: Callable[..., tuple[Any, ...]]) -> None:
        """Have a function that was taken be there for others."""
        if len(self.idle) < self.most:
            self.idle.append(function)

    def made(self) -> Callable[..., tuple[Any, ...]]:
        """The function with buffers of its own."""
        scope = {**self._text.scope, **self._text.arrays()}
        exec(self._code, scope)  # noqa: S102 - the text is made from our own nodes
        return scope["run"]  # type: ignore[no-any-return]

    def can_run_again(self, error: Exception) -> bool:
        """Whether a run that failed has changed nothing, so that the nodes can be run instead.

        A program inside, whose error it may be, has looked already. What has been drawn would be drawn anew: an error
        that may come of the numbers drawn is the error of this run.
        """
        if getattr(error, "graph_node", None) is not None:
            return False
        line = line_in(error, self._file)
        if line >= self._text.first_write:
            return False
        return line <= self._text.first_draw or not isinstance(error, _BY_CHANCE)


class NodeVersion:
    """A program's nodes one by one, with what :class:`Version` has."""

    stage = "write"
    source = ""
    most = 0

    def __init__(self, program: Runnable) -> None:
        self.lines: dict[int, Node] = {}
        self.idle: list[Callable[..., tuple[Any, ...]]] = []
        self._program = program

    def run(self, arrays: Sequence[Any]) -> tuple[Any, ...]:
        """Run them."""
        return run_once(self._program, arrays)

    def made(self) -> Callable[..., tuple[Any, ...]]:
        """The same as a function of arrays."""
        return lambda *arrays: run_once(self._program, arrays)

    def taken(self) -> Callable[..., tuple[Any, ...]]:
        """The same as :meth:`made`."""
        return self.made()

    def put_back(self, function: Callable[..., tuple[Any, ...]]) -> None:
        """There is nothing to be used again."""

    def can_run_again(self, _error: Exception) -> bool:
        """Never: they have been run."""
        return False
