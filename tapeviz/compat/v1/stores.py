"""Values of variables: each session has its own, and a run finds those of its session."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["Store", "running", "using"]


class Store:
    """The values of variables in one session, by the variables' numbers."""

    def __init__(self) -> None:
        self.values: dict[int, Any] = {}
        self.lock = threading.RLock()


class _Running(threading.local):
    """The store of the session that runs in this thread."""

    def __init__(self) -> None:
        self.store: Store | None = None


_running = _Running()


def running() -> Store | None:
    """The store of the session that runs in this thread, if one does."""
    return _running.store


@contextmanager
def using(store: Store) -> Iterator[None]:
    """A block in which variables have the values of this store."""
    before = _running.store
    _running.store = store
    try:
        yield
    finally:
        _running.store = before
