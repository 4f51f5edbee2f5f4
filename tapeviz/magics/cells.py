"""Where a magic was called: the cell's file as tracebacks know it, its number, its source, and the line.

The code under a magic is compiled under the file name of its own cell, line for line where it stands in that cell. So
tracebacks, ``inspect.getsource``, breakpoints and recordings agree on places, and JupyterLab's debugger stops where
somebody clicked. For that the lines that IPython keeps for the file (one long call of ``run_cell_magic``) are replaced
by those of the cell, the header as a comment.
"""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any, Final

from tapeviz.recording.rows.sites import Cell, stored_names

__all__ = ["CellSite", "Sources"]

# The files of code that IPython's %%time and %time compile; it stands at the end of the cell that is running.
_TIMED: Final = ("<timed exec>", "<timed eval>")


@dataclass(frozen=True, slots=True)
class CellSite:
    """A cell and two lines in it: that of the magic, and the first of the code that it was given."""

    file: str
    number: int
    text: str
    header: int
    line: int
    stored: tuple[str, ...] = ()
    """The names that a line magic's value is stored under, as in ``h = %tape f(x)``."""

    def indent_of(self, code: str) -> int:
        """How many bytes stand before a line magic's code on its line."""
        written = (self.text.split("\n") + [""] * self.line)[self.line - 1]
        return len(written[: max(0, written.rfind(code))].encode())


class Sources:
    """The cells of one shell, by the file names that their code has."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        # What linecache holds for a file because it was put there by us, and the cell's true text.
        self._replaced: dict[str, tuple[list[str], str]] = {}
        self._running: list[CellSite] = []

    def place_of_cell(self, header: str, body: str) -> CellSite:
        """The place of the first line below the header of a cell magic."""
        frame = self._calling_frame()
        called = f"{header}\n{body}"
        if frame is None:  # called by a program: a cell of its own
            number = self._shell.execution_count
            return CellSite(self._shell.compile.cache(called, number, raw_code=called), number, called, 1, 2)
        file = frame.f_code.co_filename
        text = self.text(file)
        if not text.rstrip().endswith(body.rstrip()):
            return CellSite(file, self._number(file), called, 1, 2)
        above = text.rstrip()[: len(text.rstrip()) - len(body.rstrip())]
        line = above.count("\n") + 1
        return CellSite(file, self._number(file), text, line - 1, line)

    def place_of_line(self, code: str) -> CellSite:
        """The place of the line on which a line magic is called."""
        frame = self._calling_frame()
        if frame is None:
            number = self._shell.execution_count
            return CellSite(self._shell.compile.cache(code, number, raw_code=code), number, code, 1, 1)
        file, line = frame.f_code.co_filename, frame.f_lineno
        stored = stored_names(frame.f_code, frame.f_lasti)
        return CellSite(file, self._number(file), self.text(file), line, line, stored)

    @contextmanager
    def running(self, place: CellSite) -> Iterator[None]:
        """The code of this place runs inside the block."""
        self._running.append(place)
        try:
            yield
        finally:
            self._running.pop()

    def replace(self, place: CellSite, transformed: str) -> str:
        """Let the cell's file hold the code below its magic, not the call that IPython made of it.

        Returned is what to compile: it has as many lines above the code as there are in the cell.
        """
        header = place.text.split("\n")[: place.line - 1]
        lines = [f"# {line}".rstrip() + "\n" for line in header] + transformed.splitlines(keepends=True)
        whole = "".join(lines)
        linecache.cache[place.file] = (len(whole), None, lines, place.file)
        self._replaced[place.file] = (lines, place.text)
        return whole

    def cell_of(self, file: str) -> Cell | None:
        """The notebook cell behind a code object's file name; None when it is of no cell."""
        if file in _TIMED and self._running:
            place = self._running[-1]
            return Cell(place.number, place.text, _first_line_of_code(place))
        if file not in self._numbers:
            return None
        text = self.text(file)
        # IPython runs a cell without the blank lines that it begins with; code below a magic of ours has them above it.
        blank = 0 if file in self._replaced else len(text) - len(text.lstrip())
        return Cell(self._number(file), text, 1 + text[:blank].count("\n"))

    def text(self, file: str) -> str:
        """The source of a cell as the user wrote it, as far as it is known."""
        lines = linecache.getlines(file)
        replaced = self._replaced.get(file)
        if replaced is not None and replaced[0] is lines:
            return replaced[1]
        transformed = "".join(lines)
        written = self._written(self._number(file))
        if written is not None and self._is_source(written, transformed):
            return written
        return _unwrapped(transformed)

    def _written(self, number: int) -> str | None:
        history = getattr(getattr(self._shell, "history_manager", None), "input_hist_raw", [])
        return history[number] if 0 < number < len(history) else None

    def _is_source(self, written: str, transformed: str) -> bool:
        wrapped = _cell_magic(transformed)
        if wrapped is not None:
            return written.lstrip().startswith("%%") and written.rstrip().endswith(wrapped[2].rstrip())
        return len(written.strip().splitlines()) == len(transformed.strip().splitlines())

    @property
    def _numbers(self) -> dict[str, int]:
        return getattr(self._shell.compile, "_filename_map", {})

    def _number(self, file: str) -> int:
        return int(self._numbers.get(file, self._shell.execution_count))

    def _calling_frame(self) -> FrameType | None:
        """The nearest frame whose code is of a cell."""
        frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - there is no other way to one's caller
        while frame is not None and frame.f_code.co_filename not in self._numbers:
            frame = frame.f_back
        return frame


def _cell_magic(transformed: str) -> tuple[str, str, str] | None:
    """Name, header and body, where the code is one call of ``run_cell_magic``."""
    try:
        body = ast.parse(transformed).body
    except SyntaxError:
        return None
    call = body[0].value if len(body) == 1 and isinstance(body[0], ast.Expr) else None
    if not isinstance(call, ast.Call) or getattr(call.func, "attr", "") != "run_cell_magic":
        return None
    name, header, code = (str(argument.value) for argument in call.args if isinstance(argument, ast.Constant))
    return name, header, code


def _unwrapped(transformed: str) -> str:
    """The cell that IPython made this code from."""
    found = _cell_magic(transformed)
    if found is None:
        return transformed
    name, header, body = found
    return f"%%{name} {header}".rstrip() + f"\n{body}"


def _first_line_of_code(place: CellSite) -> int:
    """The line below all headers."""
    lines = place.text.split("\n")
    return next((n for n, line in enumerate(lines, 1) if n >= place.line and not line.startswith("%%")), place.line)
