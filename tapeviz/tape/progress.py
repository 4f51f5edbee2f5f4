"""How far something is that a user waits for: seen only when it takes long, and gone when it is done.

In a notebook it is a bar in the cell's output, in a terminal a line on the error stream; elsewhere nothing is shown. No
widget is used, so that nothing of it is left in a saved notebook.
"""

from __future__ import annotations

import sys
from html import escape
from time import perf_counter
from typing import Any, Final
from uuid import uuid4

from tapeviz.engine.userline import ipython_shell

__all__ = ["Progress"]

_DELAY: Final = 0.5  # seconds before anything is shown
_OFTEN: Final = 0.1  # seconds between two looks at least
_CLEAR: Final = "\r\x1b[K"


class Progress:
    """How many of so many are done.

    Args:
        what: what they are, such as "Statistics of tensors".
        total: how many there are.
    """

    def __init__(self, what: str, total: int) -> None:
        self._what, self._total = what, total
        self._next = perf_counter() + _DELAY
        self._show: Any = None

    def advance(self, done: int) -> None:
        """So many are done."""
        if perf_counter() < self._next:
            return
        if self._show is None:
            self._show = _surface()
        self._next = perf_counter() + _OFTEN
        self._show(f"{self._what}: {done:,} of {self._total:,}", done / max(self._total, 1))

    def close(self) -> None:
        """Take away what is shown."""
        if self._show is not None:
            self._show("", 1.0)


def _surface() -> Any:
    """What shows a text and how much of all is done, here; an empty text takes it away."""
    shell = ipython_shell()
    if hasattr(shell, "kernel"):
        return _InNotebook(shell)
    stream = sys.stderr
    return _InTerminal(stream) if stream is not None and stream.isatty() else lambda _text, _share: None


class _InNotebook:
    """A bar in the output of the cell."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._id = uuid4().hex
        self._is_shown = False

    def __call__(self, text: str, share: float) -> None:
        label = escape(text)
        page = f'<label><progress max="1" value="{share:.3f}"></progress> {label}</label>' if text else ""
        self._shell.display_pub.publish(
            {"text/html": page, "text/plain": text}, transient={"display_id": self._id}, update=self._is_shown
        )
        self._is_shown = True


class _InTerminal:
    """A line that is written again and again."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __call__(self, text: str, share: float) -> None:
        del share
        self._stream.write(_CLEAR + text)
        self._stream.flush()
