"""What a program of the two sets is: a function that is recorded, and for a bug its thread and what has to be said."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass

Program = Callable[[], object]


@dataclass(frozen=True)
class Bug:
    """A bug as somebody had it: where it was asked about, and words of the fix, of which one is enough.

    The line to be named ends with ``# bug``.
    """

    program: Program
    thread: str
    title: str
    words: tuple[str, ...]

    @property
    def line(self) -> int:
        lines, first = inspect.getsourcelines(self.program)
        return first + next(at for at, text in enumerate(lines) if text.rstrip().endswith("# bug"))


bugs: list[Bug] = []
healthy: list[Program] = []


def bug(thread: str, title: str, *words: str) -> Callable[[Program], Program]:
    def add(program: Program) -> Program:
        bugs.append(Bug(program, thread, title, words))
        return program

    return add


def sound(program: Program) -> Program:
    healthy.append(program)
    return program
