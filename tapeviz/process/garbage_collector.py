"""The one owner of the settings of Python's garbage collector, which are the whole process's.

Several threads may record, pack rows and compile at once. The first one changes a setting and the last one puts it
back; were each to put back what it found, it would put back what another had changed.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Final

__all__ = ["RELAXED", "paused", "relaxed"]

RELAXED: Final = 2
"""How many objects there are, with those of a recorder, for each one of the program's that lasts."""
_MOST: Final = 2**31 - 1


class _Collector:
    """Who has asked for what, and what was set before the first of them."""

    def __init__(self) -> None:
        # Reentrant: a finalizer that the collector runs while this is held may trace or record.
        self._lock = RLock()
        self._pauses = 0
        self._was_enabled = False
        self._relaxations = 0
        self._before = self._during = gc.get_threshold()

    def pause(self) -> None:
        with self._lock:
            if self._pauses == 0:
                self._was_enabled = gc.isenabled()
                gc.disable()
            self._pauses += 1

    def resume(self) -> None:
        with self._lock:
            self._pauses -= 1
            if self._pauses == 0 and self._was_enabled:
                gc.enable()

    def relax(self) -> None:
        with self._lock:
            if self._relaxations == 0:
                self._before = gc.get_threshold()
                self._during = (min(RELAXED * self._before[0], _MOST), *self._before[1:])
                gc.set_threshold(*self._during)
            self._relaxations += 1

    def tighten(self) -> None:
        with self._lock:
            self._relaxations -= 1
            if self._relaxations == 0 and gc.get_threshold() == self._during:  # unless the program has set its own
                gc.set_threshold(*self._before)


_collector: Final = _Collector()


@contextmanager
def paused() -> Iterator[None]:
    """A block that makes many objects which stay: the collector would look through all of them several times."""
    _collector.pause()
    try:
        yield
    finally:
        _collector.resume()


@contextmanager
def relaxed() -> Iterator[None]:
    """A block in which each op leaves a recorder's objects beside its own.

    A weak reference and a shape for each op would have the collector run that much more often than it does without a
    recorder.
    """
    _collector.relax()
    try:
        yield
    finally:
        _collector.tighten()
