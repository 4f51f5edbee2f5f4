"""``tf.io.gfile``: files and folders of this machine."""

from __future__ import annotations

import glob as patterns
import os
import shutil
from collections.abc import Iterator
from typing import Any

__all__ = [
    "GFile", "copy", "exists", "glob", "isdir", "join", "listdir", "makedirs", "mkdir", "remove", "rename", "rmtree",
    "stat", "walk",
]  # fmt: skip


def GFile(name: Any, mode: str = "r") -> Any:
    """A file, open for reading or writing: Python's own.

    >>> import os, tempfile, tapeviz as tf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with tf.io.gfile.GFile(os.path.join(folder, "a.txt"), "w") as file:
    ...         _ = file.write("one")
    ...     with tf.io.gfile.GFile(os.path.join(folder, "a.txt")) as file:
    ...         file.read()
    'one'
    """
    return open(os.fspath(name), mode, encoding=None if "b" in mode else "utf-8")


def exists(path: Any) -> bool:
    """Whether there is such a file or folder."""
    return os.path.exists(path)


def isdir(path: Any) -> bool:
    """Whether it is a folder."""
    return os.path.isdir(path)


def glob(pattern: Any) -> list[str]:
    """The files whose names fit a pattern, or one of several."""
    several = pattern if isinstance(pattern, list | tuple) else [pattern]
    return [name for one in several for name in sorted(patterns.glob(os.fspath(one)))]


def listdir(path: Any) -> list[str]:
    """The names in a folder."""
    return os.listdir(path)


def makedirs(path: Any) -> None:
    """Make a folder, and those around it, where there is none."""
    os.makedirs(path, exist_ok=True)


def mkdir(path: Any) -> None:
    """Make a folder."""
    os.mkdir(path)


def remove(path: Any) -> None:
    """Remove a file."""
    os.remove(path)


def rmtree(path: Any) -> None:
    """Remove a folder with all that is in it."""
    shutil.rmtree(path)


def rename(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Give a file or folder another name.

    Raises:
        FileExistsError: the name is taken, and ``overwrite`` does not say to take it.
    """
    if os.path.exists(dst) and not overwrite:
        raise FileExistsError(f"file already exists: {dst}")
    os.replace(src, dst)


def copy(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Copy a file.

    Raises:
        FileExistsError: the name is taken, and ``overwrite`` does not say to take it.
    """
    if os.path.exists(dst) and not overwrite:
        raise FileExistsError(f"file already exists: {dst}")
    shutil.copyfile(src, dst)


def stat(path: Any) -> Any:
    """What the system says of a file: its ``length`` in bytes among it."""
    return _Status(os.stat(path))


class _Status:
    def __init__(self, found: os.stat_result) -> None:
        self.length: int = found.st_size
        self.mtime_nsec: int = found.st_mtime_ns
        self.is_directory: bool = bool(found.st_mode & 0o040000)


def walk(top: Any, topdown: bool = True, onerror: Any = None) -> Iterator[Any]:
    """The folders in a folder, each with the names in it."""
    return os.walk(top, topdown, onerror)


def join(path: Any, *paths: Any) -> str:
    """A path of several parts."""
    return str(os.path.join(path, *paths))
