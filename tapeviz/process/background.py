"""Work on one thread beside the program's own, in slices that are short enough for nobody to notice.

Python code holds the interpreter's lock, and a thread that gives it up (NumPy does, in each op on more than a few
hundred elements) waits up to five milliseconds for it to come back: a program of a thousand such ops stands still while
another thread computes. So work calls :func:`checkpoint` where it holds nothing, and from time to time sleeps there.

The thread is gone before a fork, and before the interpreter ends: neither finds it in the middle of anything, such as a
lock held, or a compiler's code that runs while its own variables are destroyed. What it was at is left at the next
checkpoint, and begun again after a fork: in the process that forked at once, in the other when it asks for it.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections import deque
from collections.abc import Callable
from time import perf_counter, sleep
from typing import Any, Final

__all__ = ["Job", "checkpoint", "in_background", "wait_for_all"]

_SLICE: Final = 0.003  # seconds of work
_PAUSE: Final = 0.002  # seconds of sleep after each


class _Stopped(BaseException):
    """The thread is to end: leave the job as it is."""


class Job:
    """A function that is called in the background: ``result`` is what it gave, ``error`` what it raised."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self.is_over = False
        self.result: Any = None
        self.error: BaseException | None = None
        self._function: Callable[[], Any] | None = function

    def run(self) -> None:
        """Call the function, here and now."""
        assert self._function is not None  # noqa: S101 - it runs once
        try:
            self.result = self._function()
        except _Stopped:
            raise
        except BaseException as error:  # noqa: BLE001 - whoever asked for it is told
            self.error = error
        self._function, self.is_over = None, True

    def is_done(self) -> bool:
        """Whether it is over. A forked process goes on with what its parent has begun when it asks this."""
        if not self.is_over:
            _worker.start()
        return self.is_over


class _Worker:
    """The thread, which there is as long as there are jobs."""

    def __init__(self) -> None:
        self.jobs: deque[Job] = deque()
        self.thread: threading.Thread | None = None
        self.starting = threading.Lock()
        self.forking = threading.Lock()  # held from before a fork until after it
        self.stopped = self.ended = False
        self._until = 0.0

    def start(self) -> None:
        if self.thread is not None:
            return
        with self.starting:
            if self.thread is None and self.jobs and not self.stopped:
                self.thread = threading.Thread(target=self._work, name="tapeviz-background", daemon=True)
                self.thread.start()

    def _work(self) -> None:
        self._until = perf_counter() + _SLICE
        try:
            while True:
                with self.starting:
                    if not self.jobs:
                        self.thread = None
                        return
                self.jobs[0].run()
                self.jobs.popleft()
                self._rest()
        except _Stopped:
            self.thread = None

    def check(self) -> None:
        if self.stopped:
            raise _Stopped
        if perf_counter() > self._until:
            self._rest()

    def _rest(self) -> None:
        sleep(_PAUSE)
        self._until = perf_counter() + _SLICE
        if self.stopped:
            raise _Stopped

    def stop(self) -> None:
        """Have the thread end at its next checkpoint, and wait for it."""
        with self.starting:
            self.stopped = True
        if (thread := self.thread) is not None and thread is not threading.current_thread():
            thread.join()

    def end(self) -> None:
        self.ended = True
        self.stop()

    def before_fork(self) -> None:
        self.forking.acquire()
        self.stop()

    def after_fork(self) -> None:
        """In the process that forked: go on."""
        self.stopped = self.ended
        self.forking.release()
        self.start()

    def after_fork_in_child(self) -> None:
        """In the forked process: what was not done is done when somebody asks for it."""
        self.thread, self.starting = None, threading.Lock()
        self.stopped = self.ended
        self.forking.release()


_worker: Final = _Worker()
atexit.register(_worker.end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_worker.before_fork,
        after_in_parent=_worker.after_fork,
        after_in_child=_worker.after_fork_in_child,
    )


def in_background(function: Callable[[], Any]) -> Job:
    """Have a function be called on the background thread, after those before it."""
    job = Job(function)
    _worker.jobs.append(job)
    _worker.start()
    return job


def checkpoint() -> None:
    """Where work may pause, if this thread is the background one and has worked long enough; never with a lock held."""
    thread = _worker.thread
    if thread is not None and thread is threading.current_thread():
        _worker.check()


def wait_for_all() -> None:
    """Wait until nothing is left to do."""
    while _worker.jobs:
        _worker.start()
        sleep(_PAUSE)
