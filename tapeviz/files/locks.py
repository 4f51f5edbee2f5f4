"""Whether somebody is still writing a file: an advisory lock, which the system takes away with the process."""

from __future__ import annotations

import contextlib
import os
import threading
import types
from collections.abc import Callable
from typing import Final

fcntl: types.ModuleType | None
try:
    import fcntl
except ImportError:  # Windows, where a file that is open cannot be removed; a browser, where there is one process
    fcntl = None

__all__ = ["claim", "disclaim", "hold", "is_claimed", "let_go", "lock", "release", "remove_abandoned"]

_ours: Final[set[tuple[int, int]]] = set()
"""The files that this process is writing, by device and number: all that is known where the system has no locks."""
_claimed: Final[set[tuple[int, int]]] = set()
"""The files that this process alone may write."""
_mutex: Final = threading.Lock()


def lock(number: int) -> None:
    """Mark an open file, by its descriptor, as being written. Until now it may have been removed."""
    with _mutex:
        _ours.add(_identity(number))
    if fcntl is not None:
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(number, fcntl.LOCK_EX)  # who has it is looking whether it is abandoned


def claim(number: int) -> bool:
    """Mark an open file as one that nobody else may write; False where somebody else has done so."""
    with _mutex:
        identity = _identity(number)
        if identity in _claimed:
            return False
        if fcntl is not None:
            try:
                fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            except OSError:  # a file system without locks
                pass
        _claimed.add(identity)
        return True


def disclaim(number: int) -> None:
    """Let others write a file that was claimed. Without it a forked process, which has the file too, would keep it."""
    with _mutex:
        _claimed.discard(_identity(number))
        if fcntl is not None:
            with contextlib.suppress(OSError):
                fcntl.flock(number, fcntl.LOCK_UN)


def is_claimed(status: os.stat_result) -> bool:
    """Whether this process has claimed a file."""
    with _mutex:
        return (status.st_dev, status.st_ino) in _claimed


def hold(path: str | os.PathLike[str]) -> int | None:
    """Mark a file that is there as being written, until :func:`let_go`; None where somebody has removed it."""
    try:
        number = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        return None
    lock(number)
    with contextlib.suppress(OSError):
        if os.path.samestat(os.stat(path), os.fstat(number)):
            return number
    let_go(number)
    return None


def let_go(number: int) -> None:
    """Whoever clears up may remove a file that was held."""
    release(number)
    os.close(number)


def release(number: int) -> None:
    """Forget an open file that is about to be closed; closing takes the lock away."""
    with _mutex:
        _ours.discard(_identity(number))


def remove_abandoned(path: str, remove: Callable[[], object]) -> None:
    """Call ``remove`` if who was writing a file is gone. Where that cannot be known, it stays."""
    try:
        number = os.open(path, os.O_RDWR)
    except OSError:
        return
    with _mutex, contextlib.ExitStack() as stack:
        stack.callback(os.close, number)
        if _identity(number) in _ours:
            return
        if fcntl is None:
            stack.close()  # Windows removes no file that somebody has open, us included
        elif not _is_free(number):
            return
        with contextlib.suppress(OSError):
            remove()


def _is_free(number: int) -> bool:
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)  # type: ignore[union-attr]
    except OSError:  # somebody has it; or the file system has no locks
        return False
    return True


def _identity(number: int) -> tuple[int, int]:
    status = os.fstat(number)
    return status.st_dev, status.st_ino
