"""When modules were loaded while something was recorded: an import within a cell is no idle time of the user's line."""

from __future__ import annotations

import importlib
import sys
import threading
import weakref
from time import perf_counter
from types import CodeType, FrameType
from typing import Any, Final

from tapeviz.recorder.op_hooks import UserFrames

__all__ = ["Imports"]

_MACHINERY: Final = "importlib"


class Imports:
    """A finder that finds nothing: Python asks it when a module has to be loaded, and never again for that module.

    So an import of what is there already costs nothing. A module is loaded when the lock goes that Python holds for it;
    modules that it imports itself belong to it. Where a Python has no such lock, imports are not told of
    (docs/decisions/0044-imports-told-apart.md).

    Args:
        found: gets a row for each module that was loaded.
        users: finds the user's frames.
    """

    def __init__(self, found: list[Any], users: UserFrames) -> None:
        self._found = found
        self._users = users
        self._thread = threading.get_ident()
        self._loading = False

    def begin(self) -> None:
        """Look from now on."""
        sys.meta_path.insert(0, self)

    def end(self) -> None:
        """Look no more, if it was done."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(self, name: str, _path: Any = None, _target: Any = None) -> None:
        """Note that a module begins to be loaded."""
        if self._loading or threading.get_ident() != self._thread:
            return
        lock = _lock_of(name)
        if lock is None:
            return
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == _MACHINERY:
            frame = frame.f_back
        frame = self._users.nearest(frame)
        site = frame.f_code, frame.f_lasti
        self._loading = True
        weakref.finalize(lock, self._loaded, name, perf_counter(), site).atexit = False

    def _loaded(self, name: str, t0: float, site: tuple[CodeType | None, int]) -> None:
        self._loading = False
        self._found.append((t0, perf_counter(), "import", name, *site))


def _lock_of(name: str) -> Any:
    """The lock under which a module is being loaded; None when somebody only asks where it is, or no lock is known.

    The table of locks is Python's own business. What goes wrong here would fail the user's import, so whatever is not
    as expected counts as no lock.
    """
    locks = getattr(getattr(importlib, "_bootstrap", None), "_module_locks", None)
    lock = locks.get(name) if isinstance(locks, dict) else None
    return lock() if isinstance(lock, weakref.ref) else None
