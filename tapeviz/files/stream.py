"""Files that grow by whole frames."""

from __future__ import annotations

import contextlib
import os
import stat
import threading
import weakref
from typing import Final, Literal

from tapeviz.files.atomic import sync

__all__ = ["AppendFile"]

_FLAGS: Final = {
    "w": os.O_WRONLY | os.O_CREAT | os.O_TRUNC,
    "x": os.O_WRONLY | os.O_CREAT | os.O_EXCL,
    "a": os.O_WRONLY | os.O_CREAT | os.O_APPEND,
}


class AppendFile:
    """A file that grows by frames: each is in it whole, or not at all.

    A frame is with the operating system when :meth:`append` returns: a process that is killed loses none. Threads may
    share it. The last to hold it closes it.

    Args:
        path: the file.
        mode: ``"w"`` to begin it anew, ``"x"`` for a file that must not be there, ``"a"`` to go on with one.

    Raises:
        OSError: it cannot be opened.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "log")
    >>> file = AppendFile(path)
    >>> file.append(b"one")
    >>> file.append(b"two")
    >>> path.read_bytes()
    b'onetwo'
    >>> file.close()
    """

    def __init__(self, path: str | os.PathLike[str], mode: Literal["w", "x", "a"] = "w") -> None:
        self.path = os.fspath(path)
        self._number = os.open(self.path, _FLAGS[mode] | getattr(os, "O_BINARY", 0), 0o666)
        self._let_go = weakref.finalize(self, os.close, self._number)
        status = os.fstat(self._number)
        self._size = status.st_size if stat.S_ISREG(status.st_mode) else None
        self._lock = threading.Lock()

    @property
    def closed(self) -> bool:
        """Whether nothing can be added any more."""
        return not self._let_go.alive

    def append(self, frame: bytes | memoryview) -> None:
        """Add a frame.

        Raises:
            OSError: it cannot be written. The file is as it was before.
            ValueError: the file is closed.
        """
        rest = memoryview(frame).cast("B")
        with self._lock:
            if self.closed:
                raise ValueError(f"{self.path} is closed")
            if self._size is not None:
                self._size = os.lseek(self._number, 0, os.SEEK_END)  # somebody else may have added to it
            try:
                while rest:
                    rest = rest[os.write(self._number, rest) :]
            except BaseException as error:
                self._take_back()
                if isinstance(error, OSError):
                    raise OSError(error.errno, error.strerror or str(error), self.path) from error
                raise

    def _take_back(self) -> None:
        """Half a frame would hide all that comes after it."""
        if self._size is not None:
            with contextlib.suppress(OSError):
                os.ftruncate(self._number, self._size)
                os.lseek(self._number, self._size, os.SEEK_SET)

    def sync(self) -> None:
        """Wait until the disk has it all.

        Raises:
            OSError: the disk has not.
        """
        with self._lock:
            if not self.closed and self._size is not None:
                try:
                    sync(self._number)
                except OSError as error:
                    raise OSError(error.errno, error.strerror or str(error), self.path) from error

    def close(self) -> None:
        """Let go of the file; again is fine."""
        with self._lock:
            self._let_go()
