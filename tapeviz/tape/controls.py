"""Holding a loop while it runs: pause, so many steps, a snapshot of a step, stop, asked for from any thread."""

from __future__ import annotations

import threading
from itertools import count
from time import perf_counter
from typing import Any, Final

__all__ = ["REQUESTS", "Controls", "request"]

REQUESTS: Final = ("pause", "resume", "step", "ten", "snapshot", "stop")
"""What can be asked of a loop that runs."""

_running: Final[dict[int, Controls]] = {}
_numbers: Final = count(1)


class Controls:
    """What was asked of one loop, done when the loop reaches :meth:`boundary`.

    >>> controls = Controls()
    >>> controls.request("stop")
    >>> controls.pending, controls.boundary(), controls.stopped
    (True, 0.0, True)
    """

    def __init__(self) -> None:
        self.number: int = next(_numbers)
        self.pending: bool = False
        """Whether the next boundary has something to do: all that a loop asks in a step in which nobody clicked."""
        self.paused: bool = False
        self.paused_at: float = 0.0
        """When the last pause began, as ``perf_counter`` counts."""
        self.stopped: bool = False
        self.snapshot: bool = False
        """Whether the next step is to be recorded; whoever records it sets this back."""
        self._left: int | None = None
        self._changed = threading.Condition()

    def open(self) -> None:
        """The loop runs: pages may ask."""
        _running[self.number] = self

    def close(self) -> None:
        """The loop is over."""
        _running.pop(self.number, None)

    def request(self, what: str) -> None:
        """Ask, from any thread. A step asked for while the loop runs freely is the next one, with a pause behind it.

        Raises:
            ValueError: it is none of ``REQUESTS``.
        """
        if what not in REQUESTS:
            raise ValueError(f"{what!r}: choose one of {', '.join(REQUESTS)}")
        with self._changed:
            if what == "stop":
                self.stopped = True
            elif what == "snapshot":
                self.snapshot = True
            else:
                self._left = {"pause": 0, "resume": None, "step": 1, "ten": 10}[what]
            self.pending = self.stopped or self._left is not None
            self._changed.notify_all()

    def boundary(self, on_pause: Any = None) -> float:
        """Between two steps: wait while the loop is paused, and give the seconds that took.

        Args:
            on_pause: called when the loop begins to wait.
        """
        if not self.pending:
            return 0.0
        began = 0.0
        with self._changed:
            while self._left == 0 and not self.stopped:
                if not began:
                    began = self.paused_at = perf_counter()
                    self.paused = True
                    if on_pause is not None:
                        on_pause()
                try:
                    self._changed.wait()
                except BaseException:
                    self.paused = False
                    raise
            self.paused = False
            if self._left is not None and self._left > 0:
                self._left -= 1
        return perf_counter() - began if began else 0.0


def request(number: int, what: str) -> None:
    """Ask something of the loop of that number, from any thread.

    Raises:
        ValueError: no such loop runs, or it cannot be asked that.
    """
    controls = _running.get(number)
    if controls is None:
        raise ValueError("that loop is over")
    controls.request(what)
