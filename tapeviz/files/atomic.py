"""Whole files: written beside their place, and put there in one step when they are on the disk.

Killed at any moment, or with a full disk, what is found under a name is what was there before or what was to be there,
never a part of it. What is written goes to ``<name>.<token>.partial`` in the same folder; the next writing of the same
file removes those whose process is gone.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final

from tapeviz.files.locks import is_claimed, lock, release, remove_abandoned

__all__ = ["atomic_path", "atomic_writer", "sync_folder", "write_atomic"]

_WINDOWS: Final = sys.platform == "win32"
_TOKEN_BYTES: Final = 4
_LONGEST: Final = 220  # bytes of a name: file systems take 255, and the token and the suffix come behind
_NEW: Final = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_HAS_NO_SYNC: Final = {errno.EINVAL, errno.ENOTSUP, errno.ENOSYS}


def write_atomic(path: str | os.PathLike[str], pieces: Iterable[bytes | memoryview]) -> None:
    """Write a whole file, or leave what is there.

    Args:
        path: the file. A link is followed; the mode of a file that is there is kept.
        pieces: its content, one after the other.

    Raises:
        OSError: it cannot be written. It names the file, and what is there is as it was.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "greeting")
    >>> write_atomic(path, [b"good ", b"morning"])
    >>> path.read_bytes()
    b'good morning'
    """
    with atomic_writer(path) as file:
        file.writelines(pieces)


@contextlib.contextmanager
def atomic_writer(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write to, which takes its place at the end of the block; after an error what was there stays.

    Raises:
        OSError: it cannot be written. It names the file.
    """
    with _put_in_place(path) as (number, _, name), io.BufferedWriter(_Named(number, name)) as file:
        yield file


@contextlib.contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """The same for libraries that open a path: the path to give them, where an empty file is.

    Raises:
        OSError: it cannot be written. It names the file, and not the path that the library was given.
    """
    with _put_in_place(path) as (_, beside, name):
        try:
            yield Path(beside)
        except OSError as error:
            if error.errno is None or error.filename not in {None, beside}:
                raise
            raise _about(error, name) from error


@contextlib.contextmanager
def _put_in_place(path: str | os.PathLike[str]) -> Iterator[tuple[int, str, str]]:
    """A new file beside the place: its descriptor, its path, and what the user calls it."""
    name = os.fspath(path)
    target = os.path.realpath(name)
    before = _status(target, name)
    if before is not None and not stat.S_ISREG(before.st_mode):  # a device or a pipe: nothing is there to keep
        with _naming(name):
            number = os.open(target, os.O_WRONLY | getattr(os, "O_BINARY", 0))
        try:
            yield number, target, name
        finally:
            os.close(number)
        return
    _remove_abandoned(target)
    with _naming(name):
        number, beside = _made(target)
    try:
        try:
            yield number, beside, name
            with _naming(name):
                _finish(beside, before)
                if not _WINDOWS:  # with the lock still on it
                    os.replace(beside, target)
        finally:
            release(number)
            os.close(number)
        with _naming(name):
            if _WINDOWS:  # where what is open cannot be moved
                os.replace(beside, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise
    sync_folder(os.path.dirname(target))


def _status(target: str, name: str) -> os.stat_result | None:
    """What is at the place; None for nothing.

    Raises:
        OSError: it is a folder, or must not be written.
    """
    try:
        status = os.stat(target)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _about(error, name) from error
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
    if is_claimed(status):  # put in its place, the file would hide all that is still to come to the other
        raise OSError(errno.EBUSY, "it is still being written, as a stream", name)
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), name)
    return status


def _made(target: str) -> tuple[int, str]:
    """A new, locked file beside a place."""
    while True:
        beside = f"{_stem(target)}.{os.urandom(_TOKEN_BYTES).hex()}.partial"
        number = os.open(beside, _NEW, 0o666)
        lock(number)
        # Somebody who cleans up may have come between the two, and have taken it for left behind.
        with contextlib.suppress(OSError):
            if os.path.samestat(os.stat(beside), os.fstat(number)):
                return number, beside
        release(number)
        os.close(number)


def _stem(target: str) -> str:
    folder, name = os.path.split(target)
    while len(os.fsencode(name)) > _LONGEST:
        name = name[:-1]
    return os.path.join(folder, name)


def _finish(beside: str, before: os.stat_result | None) -> None:
    """Have it on the disk, with the mode and the owner of what was there."""
    if before is not None and not _WINDOWS:
        now = os.stat(beside)
        with contextlib.suppress(PermissionError):  # not everybody may give a file away
            if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
                os.chown(beside, before.st_uid, before.st_gid)
        os.chmod(beside, stat.S_IMODE(before.st_mode))
    written = os.open(beside, os.O_RDWR)  # a library may have put another file there
    try:
        sync(written)
    finally:
        os.close(written)


def sync(number: int) -> None:
    """Wait until the disk has an open file, where the file system knows how.

    Raises:
        OSError: the disk has not.
    """
    try:
        os.fsync(number)
    except OSError as error:
        if error.errno not in _HAS_NO_SYNC:
            raise


def sync_folder(folder: str | os.PathLike[str]) -> None:
    """Have the names in a folder on the disk, where the system can."""
    if _WINDOWS:
        return
    with contextlib.suppress(PermissionError):  # a folder that may be written and not read
        handle = os.open(folder or ".", os.O_RDONLY)
        try:
            sync(handle)
        finally:
            os.close(handle)


def _remove_abandoned(target: str) -> None:
    """Remove what writings of this file have left whose process is gone."""
    folder, stem = os.path.split(_stem(target))
    ours = re.compile(rf"{re.escape(stem)}\.[0-9a-f]{{{2 * _TOKEN_BYTES}}}\.partial")
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            found = os.path.join(folder, name)
            if ours.fullmatch(name):
                remove_abandoned(found, partial(os.unlink, found))


class _Named(io.FileIO):
    """A file whose errors name the file that the user asked for."""

    def __init__(self, number: int, name: str) -> None:
        super().__init__(number, "wb", closefd=False)
        self._asked_for = name

    def write(self, data: Any, /) -> int:
        """Write some of it; how much."""
        try:
            return super().write(data)
        except OSError as error:
            raise _about(error, self._asked_for) from error


@contextlib.contextmanager
def _naming(name: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _about(error, name) from error


def _about(error: OSError, name: str) -> OSError:
    """The same error about the file that the user asked for."""
    return OSError(error.errno, error.strerror or str(error), name)
