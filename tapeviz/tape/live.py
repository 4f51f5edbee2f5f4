"""Holding a loop while it runs: pause, so many steps, a snapshot of a step, stop, asked for from any thread."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import count
from time import perf_counter
from typing import Any, Final, Generic, TypeVar

from tapeviz.engine.scopes import span
from tapeviz.tape.record import record
from tapeviz.tape.tape import Tape

__all__ = ["REQUESTS", "Controls", "Live", "live", "request"]

_T = TypeVar("_T")
REQUESTS: Final = ("pause", "resume", "step", "ten", "snapshot", "stop")
"""What can be asked of a loop that runs."""

_TAPES: Final = 3
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
                    began, self.paused = perf_counter(), True
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


class Live(Generic[_T]):
    """A loop that can be held while it runs; made by :func:`live`. ``tapes`` has its last three snapshots."""

    def __init__(self, items: Iterable[_T]) -> None:
        self._items = items
        self.controls: Controls = Controls()
        self.steps: int = 0
        self.tapes: deque[Tape] = deque(maxlen=_TAPES)

    def __iter__(self) -> Iterator[_T]:
        """Give the items; before each of them is a boundary."""
        controls = self.controls
        controls.open()
        try:
            for item in self._items:
                controls.boundary()
                if controls.stopped:
                    return
                self.steps += 1
                if controls.snapshot:
                    controls.snapshot = False
                    yield from self._recorded(item)
                else:
                    yield item
        finally:
            controls.close()

    def _recorded(self, item: _T) -> Iterator[_T]:
        with record(name=f"step {self.steps}") as tape, span("step", str(self.steps)):
            self.tapes.append(tape)
            yield item

    def pause(self) -> None:
        """Wait before the next step."""
        self.controls.request("pause")

    def resume(self) -> None:
        """Go on."""
        self.controls.request("resume")

    def step(self, count: int = 1) -> None:
        """Do one step, or ten, and wait again."""
        if count not in {1, 10}:
            raise ValueError(f"`count` must be 1 or 10. Received: count={count}")
        self.controls.request("step" if count == 1 else "ten")

    def snapshot(self) -> None:
        """Record the next step."""
        self.controls.request("snapshot")

    def stop(self) -> None:
        """End the loop before the next step."""
        self.controls.request("stop")


def live(items: Iterable[_T]) -> Live[_T]:
    """A loop over ``items`` that can be paused, stepped, recorded for a step and stopped while it runs.

    What is asked, from any thread, is done before the next item. A loop that is stopped ends as if its items had.

    Args:
        items: what the loop goes over.

    >>> import tapeviz as tf
    >>> loop = tf.live(range(100))
    >>> for step in loop:
    ...     if step == 3:
    ...         loop.stop()
    >>> loop.steps
    4
    """
    return Live(items)
