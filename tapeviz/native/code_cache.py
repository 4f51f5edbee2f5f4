"""Compiled code on disk, so that the next process need not compile it: a file for each text, machine and version.

The folder is ``code`` in the one that TAPEVIZ_HOME names, or in ``~/.tapeviz``; TAPEVIZ_CODE_CACHE=0 leaves it alone.
Code is run, so it is only taken from a folder that nobody else may write to or read, and from a whole file of the
user's own: anything else is as if it was not there.
"""

from __future__ import annotations

import hashlib
import os
import stat
from functools import cache
from pathlib import Path
from typing import Final

from tapeviz.files import write_atomic

__all__ = ["CodeCache", "code_cache"]

_CHOICE: Final = "TAPEVIZ_CODE_CACHE"
_MOST: Final = 2000  # files, beyond which the oldest go
_OTHERS: Final = 0o077
_DIGEST: Final = hashlib.sha256
_DIGEST_BYTES: Final = 32


class CodeCache:
    """Files of code in one folder.

    Args:
        folder: which; it is made when the first code is put there.
        machine: what code depends on besides its text: the processor, and the versions of what makes it.
    """

    def __init__(self, folder: Path, machine: str) -> None:
        self._folder = folder
        self._machine = machine

    def get(self, text: str) -> bytes | None:
        """The code of a text; None where there is none that can be trusted."""
        key = self._key(text)
        try:
            if not self._is_own():
                return None
            number = os.open(self._folder / key, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
            with os.fdopen(number, "rb") as file:
                found = os.fstat(number)
                content = file.read() if stat.S_ISREG(found.st_mode) and found.st_uid == os.getuid() else b""
        except OSError:
            return None
        digest, code = content[:_DIGEST_BYTES], content[_DIGEST_BYTES:]
        return code if code and digest == self._digest(key, code) else None

    def put(self, text: str, code: bytes) -> None:
        """Keep the code of a text, if there is a place where it can be."""
        key = self._key(text)
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if self._is_own():
                write_atomic(self._folder / key, [self._digest(key, code), code])
                self._let_go()
        except OSError:
            return

    def _key(self, text: str) -> str:
        return _DIGEST(f"{self._machine}\0{text}".encode()).hexdigest()

    @staticmethod
    def _digest(key: str, code: bytes) -> bytes:
        return _DIGEST(key.encode() + code).digest()

    def _is_own(self) -> bool:
        """Whether the folder is one, of this user's, which nobody else may look into."""
        found = self._folder.lstat()
        return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & _OTHERS

    def _let_go(self) -> None:
        """Remove the oldest files where there are too many."""
        paths = list(self._folder.iterdir())
        if len(paths) > _MOST:
            for path in sorted(paths, key=lambda path: path.stat().st_mtime)[: len(paths) - _MOST // 2]:
                path.unlink()


@cache
def code_cache(machine: str) -> CodeCache | None:
    """The user's cache for a machine; None where there is none: as the user wishes, or for want of owners of files."""
    if os.environ.get(_CHOICE) == "0" or not hasattr(os, "getuid"):
        return None
    home = os.environ.get("TAPEVIZ_HOME")
    return CodeCache((Path(home).expanduser() if home else Path.home() / ".tapeviz") / "code", machine)
