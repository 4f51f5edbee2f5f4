"""A secret that the processes of one user share, in a file that nobody else can read."""

from __future__ import annotations

import errno
import os
import secrets
import stat
import time
from pathlib import Path
from typing import Final

from tapeviz.files.atomic import write_atomic

__all__ = ["shared_secret"]

_PATIENCE: Final = 5.0  # seconds for a process that is writing it
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


def shared_secret(path: Path) -> bytes:
    """The content of a file, which is made with a new secret where there is none; of several processes the first does.

    Raises:
        PermissionError: others can read it.
        OSError: it is empty, or cannot be made.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "own", "key")
    >>> secret = shared_secret(path)
    >>> len(secret), shared_secret(path) == secret
    (64, True)
    """
    if not path.exists():
        _make(path)
    if os.name == "posix" and path.stat().st_mode & _OTHERS:
        raise PermissionError(errno.EACCES, f"other users can read it: chmod 600 {path}")
    until = time.monotonic() + _PATIENCE
    while not (found := path.read_bytes()):  # another process is writing it
        if time.monotonic() >= until:
            raise OSError(errno.ENODATA, "it is empty: remove it", str(path))
        time.sleep(0.01)
    return found


def _make(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return
    write_atomic(path, [secrets.token_hex(32).encode()])
