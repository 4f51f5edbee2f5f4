"""Values of variables: each session has its own, and a run finds those of its session."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tapeviz.backends import NUMPY, Backend
from tapeviz.engine.dispatch import transfer

__all__ = ["Store", "here", "running", "using"]


class Store:
    """The values of variables in one session, by the variables' numbers.

    Args:
        by_name: keep them by the variables' names, for graphs of several programs that have their variables in common.
    """

    def __init__(self, *, by_name: bool = False) -> None:
        self.values: dict[Any, Any] = {}
        self.lock: Any = threading.RLock()
        self._by_name = by_name

    def key(self, variable: Any) -> Any:
        """What the value of a variable is kept under."""
        return variable.op.name if self._by_name else variable._number


class _Running(threading.local):
    """The store of the session that runs in this thread, and the device of the run."""

    def __init__(self) -> None:
        self.store: Store | None = None
        self.backend: Backend = NUMPY


_running = _Running()


def running() -> Store | None:
    """The store of the session that runs in this thread, if one does."""
    return _running.store


@contextmanager
def using(store: Store, backend: Backend = NUMPY) -> Iterator[None]:
    """A block in which variables have the values of this store, on this device."""
    before = _running.store, _running.backend
    _running.store, _running.backend = store, backend
    try:
        yield
    finally:
        _running.store, _running.backend = before


def here(value: Any) -> Any:
    """A value as a tensor on the device of the run that goes on in this thread."""
    backend = _running.backend
    if value._backend is backend or not backend.takes(value._a.dtype):
        return value
    return transfer(value, backend)
