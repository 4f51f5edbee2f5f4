"""Folders for a while."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

from tapeviz.files.locks import lock, release, remove_abandoned

__all__ = ["scratch_folder"]

_PREFIX: Final = "tapeviz-scratch-"
_LOCK: Final = "in-use"


@contextlib.contextmanager
def scratch_folder() -> Iterator[Path]:
    """A new, empty folder that is gone after the block; those that killed processes have left go with it.

    Raises:
        OSError: there is no place for it.
    """
    _remove_abandoned()
    outer = Path(tempfile.mkdtemp(prefix=_PREFIX))
    number = os.open(outer / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        lock(number)
        folder = outer / "content"
        folder.mkdir(parents=True)  # somebody who cleans up may have come before the lock
        yield folder
    finally:
        release(number)
        os.close(number)
        shutil.rmtree(outer, ignore_errors=True)  # Windows keeps what is mapped: the next one removes it


def _remove_abandoned() -> None:
    with contextlib.suppress(OSError):
        for name in os.listdir(tempfile.gettempdir()):
            found = Path(tempfile.gettempdir(), name)
            # Without the lock's file it is being made at this moment.
            if name.startswith(_PREFIX):
                remove_abandoned(str(found / _LOCK), partial(_remove, found))


def _remove(folder: Path) -> None:
    """Remove a folder. Raises OSError, and leaves it whole: on Windows, where somebody has its lock's file open."""
    (folder / _LOCK).unlink()
    shutil.rmtree(folder, ignore_errors=True)
