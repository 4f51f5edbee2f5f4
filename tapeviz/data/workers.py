"""Threads for pipelines. They begin when there is work and end by themselves when there is none for a while.

So no thread outlives what it works for by more than a moment, even where a traceback in a notebook keeps an iterator
alive that nobody will ask again.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from time import monotonic
from typing import Any, Final

from tapeviz.backends import NUMPY
from tapeviz.engine.state import ThreadState, local

__all__ = ["Task", "Workers", "aside"]

IDLE_SECONDS: Final = 0.5
NAME: Final = "tapeviz-data"


def aside() -> ThreadState:
    """The state in which pipelines work: on the host, seen by no tape and no recorder, outside of every graph."""
    state = ThreadState()
    state.backend = NUMPY
    return state


class Task:
    """Work in another thread."""

    __slots__ = ("_done", "_error", "_run", "_value")

    def __init__(self, run: Callable[[], Any]) -> None:
        self._run: Callable[[], Any] | None = run
        self._done = threading.Event()
        self._value: Any = None
        self._error: BaseException | None = None

    def work(self) -> None:
        """Do it, in this thread."""
        run, self._run = self._run, None
        try:
            self._value = run() if run is not None else None
        except BaseException as error:  # noqa: BLE001 - whoever asks for the result gets it
            self._error = error
        finally:
            self._done.set()

    def result(self) -> Any:
        """What it gave, when it is done; raises what it raised."""
        self._done.wait()
        if self._error is not None:
            try:
                raise self._error
            finally:
                self._error = None  # the traceback refers to this frame
        return self._value


class Workers:
    """Up to ``count`` threads."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._waiting: deque[Task] = deque()
        self._changed = threading.Condition()
        self._idle = 0
        self._threads = 0
        self._closed = False

    def begin(self, run: Callable[[], Any]) -> Task:
        """Have ``run`` called by a thread, after what was begun before."""
        task = Task(run)
        with self._changed:
            if self._closed:  # nobody else would do it
                task.work()
                return task
            self._waiting.append(task)
            if self._idle >= len(self._waiting):
                self._changed.notify()
            elif self._threads < self._count:
                self._threads += 1
                threading.Thread(target=self._work, name=NAME, daemon=True).start()
        return task

    def close(self) -> None:
        """Forget what has not begun; the threads end when they are done with what has."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            self._changed.notify_all()

    def _work(self) -> None:
        local.state = aside()
        while (task := self._next()) is not None:
            task.work()
            del task

    def _next(self) -> Task | None:
        """The next task; None where there is none for a while: then this thread ends."""
        with self._changed:
            until = monotonic() + IDLE_SECONDS
            while not self._waiting and not self._closed:
                self._idle += 1
                self._changed.wait(until - monotonic())
                self._idle -= 1
                if not self._waiting and monotonic() >= until:
                    break
            if self._waiting and not self._closed:
                return self._waiting.popleft()
            self._threads -= 1
            return None
