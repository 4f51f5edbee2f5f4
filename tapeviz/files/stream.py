"""Files that grow by whole frames."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import threading
import weakref
from functools import partial
from typing import Final, Literal

from tapeviz.files.atomic import sync
from tapeviz.files.locks import claim, disclaim

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
        alone: for frames that mean something only in their order: nobody else may write the file, and a process that is
            forked from this one adds nothing to it.

    Raises:
        OSError: it cannot be opened, or somebody else writes it alone.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "log")
    >>> file = AppendFile(path)
    >>> file.append(b"one")
    >>> file.append(b"two")
    >>> path.read_bytes()
    b'onetwo'
    >>> file.close()
    """

    def __init__(
        self, path: str | os.PathLike[str], mode: Literal["w", "x", "a"] = "w", *, alone: bool = False
    ) -> None:
        self.path: str = os.fspath(path)
        flags = _FLAGS[mode] & ~os.O_TRUNC if alone else _FLAGS[mode]
        self._number = os.open(self.path, flags | getattr(os, "O_BINARY", 0), 0o666)
        self._let_go = weakref.finalize(self, partial(os.close, self._number))
        status = os.fstat(self._number)
        self._owner = 0
        if alone and stat.S_ISREG(status.st_mode):
            if not claim(self._number):
                self._let_go()
                raise OSError(errno.EBUSY, "something else is writing it", self.path)
            self._owner = os.getpid()
            self._let_go.detach()
            self._let_go = weakref.finalize(self, partial(_close, self._number, self._owner))
            os.ftruncate(self._number, 0)
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
        if self._owner not in {0, os.getpid()}:
            return  # a fork's frames among those of its parent would give their rows other numbers
        rest = memoryview(frame).cast("B")
        with self._lock:
            if self.closed:
                raise ValueError(f"{self.path} is closed")
            if self._size is not None:
                self._size = os.lseek(self._number, 0, os.SEEK_END)  # somebody else may have added to it
            try:
                if self._owner:
                    self._check_place()
                while rest:
                    rest = rest[os.write(self._number, rest) :]
            except BaseException as error:
                self._take_back()
                if isinstance(error, OSError):
                    raise OSError(error.errno, error.strerror or str(error), self.path) from error
                raise

    def _check_place(self) -> None:
        """Raise where somebody has removed the file, or put another there: frames would go where nobody finds them."""
        try:
            is_there = os.path.samestat(os.stat(self.path), os.fstat(self._number))
        except FileNotFoundError:
            is_there = False
        if not is_there:
            raise OSError(errno.ESTALE, "it was removed, or replaced by another file")

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


def _close(number: int, owner: int) -> None:
    if owner == os.getpid():
        disclaim(number)
    os.close(number)
