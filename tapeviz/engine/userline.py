"""The line of the user's code that is running: the nearest frame outside tapeviz."""

from __future__ import annotations

import linecache
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

__all__ = ["user_frame", "user_line"]


def user_frame(depth: int = 1) -> FrameType | None:
    """The nearest frame outside tapeviz, from ``depth`` calls up."""
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("tapeviz."):
        frame = frame.f_back
    return frame


def user_line() -> str | None:
    """Where the user's code is, for an error message: file, line and text."""
    frame = user_frame(2)
    if frame is None:
        return None
    file, line = frame.f_code.co_filename, frame.f_lineno
    text = linecache.getline(file, line).strip()
    place = f"line {line} of {file if not file.startswith('<') else frame.f_code.co_name}"
    return f"{place}: {text}" if text else place
