"""What a framework's two sets are made of: a program that is recorded, and for a bug its thread and what to say."""

from __future__ import annotations

import contextlib
import inspect
import io
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field

import tapeviz

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

    def is_named(self, found: list) -> bool:
        """Whether one finding has the line, and one of the words in what it says to do."""
        return any(
            one.site is not None and one.site.line == self.line and any(word in one.fix for word in self.words)
            for one in found
        )


@dataclass(frozen=True)
class Catalogue:
    """The two sets of a framework."""

    framework: str
    bugs: list[Bug] = field(default_factory=list)
    healthy: list[Program] = field(default_factory=list)

    def bug(self, thread: str, title: str, *words: str) -> Callable[[Program], Program]:
        def add(program: Program) -> Program:
            self.bugs.append(Bug(program, thread, title, words))
            return program

        return add

    def sound(self, program: Program) -> Program:
        self.healthy.append(program)
        return program

    def recorded(self, program: Program) -> tapeviz.Tape:
        """The tape of a program, whatever it raises."""
        block = tapeviz.record(framework=self.framework, values="stats")
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(Exception):
            warnings.simplefilter("ignore")
            with block:
                program()
        return block.tape

    def findings(self, program: Program) -> list:
        """What is said of a program, graver than worth knowing."""
        return [found for found in self.recorded(program).verdicts() if found.severity > 1]
