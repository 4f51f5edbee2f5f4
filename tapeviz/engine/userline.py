"""The line of the user's code that is running: the nearest frame outside tapeviz."""

from __future__ import annotations

import linecache
import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from types import CodeType, FrameType, TracebackType
    from typing import Any

__all__ = [
    "CallSite",
    "add_library",
    "call_site",
    "cell_number",
    "cut_below_user",
    "ipython_shell",
    "is_ours",
    "ours",
    "outside",
    "user_line",
]

# A ``with`` block and a decorator of ours put frames of these between the user's code and ours.
_BETWEEN: Final = frozenset({"contextlib", "functools"})
_libraries: Final[set[str]] = {"tapeviz"}
"""Packages whose code is not the user's."""


ours: Final[dict[int, dict[str, object]]] = {}
"""The global names of modules that are not the user's, by identity, as far as met. Held, so that no other dict can have
the same identity."""


def is_ours(frame: FrameType) -> bool:
    """Whether a frame is of tapeviz, or of what Python puts between its frames."""
    names = frame.f_globals
    if id(names) in ours:
        return True
    module = names.get("__name__", "")
    package, dot, _ = module.partition(".") if isinstance(module, str) else ("", "", "")
    if not (dot and package in _libraries) and module not in _BETWEEN and package not in _libraries - {"tapeviz"}:
        return False
    ours[id(names)] = names
    return True


def add_library(package: str) -> None:
    """Count a package's code as not the user's from now on, as that of a framework which is recorded."""
    _libraries.add(package)


def outside(frame: FrameType | None) -> FrameType | None:
    """The nearest frame outside tapeviz, from this one up."""
    while frame is not None and is_ours(frame):
        frame = frame.f_back
    return frame


class CallSite:
    """Where in the user's code something was made. It is of this process: a copy in another has none."""

    __slots__ = ("code", "instruction")

    def __init__(self, code: CodeType | None = None, instruction: int = -1) -> None:
        self.code = code
        self.instruction = instruction

    def __deepcopy__(self, _memo: Any) -> CallSite:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return CallSite, ()


def call_site() -> CallSite:
    """The nearest call in the user's code."""
    frame = outside(sys._getframe(1))
    return CallSite() if frame is None else CallSite(frame.f_code, frame.f_lasti)


def cut_below_user(trace: TracebackType | None) -> None:
    """Cut a traceback below the last frame of the user's: a debugger opens there, not in what was called."""
    last, at = None, trace
    while at is not None:
        last, at = at if outside(at.tb_frame) is at.tb_frame else last, at.tb_next
    if last is not None:
        last.tb_next = None


def user_line() -> str | None:
    """Where the user's code is, for an error message: file or notebook cell, line and text."""
    frame = outside(sys._getframe(1))
    if frame is None:
        return None
    file, line = frame.f_code.co_filename, frame.f_lineno
    text = linecache.getline(file, line).strip()
    cell = cell_number(file)
    place = f"cell [{cell}], line {line}" if cell is not None else f"line {line} of {file}"
    return f"{place}: {text}" if text else place


def cell_number(file: str) -> int | None:
    """The number of the notebook cell behind a made-up file name; None for any other. Never imports IPython."""
    numbers = getattr(getattr(ipython_shell(), "compile", None), "_filename_map", {})
    return numbers.get(file)


def ipython_shell() -> Any:
    """The shell of IPython, or of a notebook's kernel (which has a ``kernel``), that runs; None outside of them.

    Never imports IPython.
    """
    core = sys.modules.get("IPython.core.getipython")
    return None if core is None else core.get_ipython()
