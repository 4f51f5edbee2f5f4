"""Memory for the arrays of programs: in huge pages, where the system has them.

A step that goes through a dozen arrays of a megabyte touches two thousand ordinary pages, more than a processor keeps
the addresses of: with huge pages it takes four fifths of the time. NumPy asks for them from four megabytes on. So
arrays smaller than that are cut from chunks that are larger.
"""

from __future__ import annotations

from threading import Lock
from typing import Final

import numpy as np

__all__ = ["block"]

_LINE: Final = 64  # bytes: where a line of the processor's cache begins
_PAGE: Final = 2 << 20
_CHUNK: Final = 8 << 20
_SMALL: Final = 128 << 10  # what is smaller fits into few pages


def block(nbytes: int) -> np.ndarray:
    """Bytes that begin at a cache line. What refers to them, a view of a view too, has this array as its ``base``."""
    if nbytes < _SMALL or nbytes > _CHUNK // 2:
        return _cut(np.empty(nbytes + _LINE, np.uint8), _LINE, 0, nbytes)
    return _Chunks.cut(nbytes)


class _Chunks:
    """The chunk that is being cut up. It lives as long as what was cut from it."""

    _lock = Lock()
    _memory = np.empty(0, np.uint8)
    _used = 0

    @classmethod
    def cut(cls, nbytes: int) -> np.ndarray:
        """The next piece."""
        with cls._lock:
            if cls._used + nbytes > cls._memory.nbytes - _PAGE:
                cls._memory, cls._used = np.empty(_CHUNK + _PAGE, np.uint8), 0
            found = _cut(cls._memory, _PAGE, cls._used, nbytes)
            cls._used += -(-nbytes // _LINE) * _LINE
        return found


def _cut(memory: np.ndarray, alignment: int, first: int, nbytes: int) -> np.ndarray:
    """A part, counted from where the memory is aligned."""
    first += -memory.ctypes.data % alignment
    # By way of a buffer: NumPy gives a view's view the owner of the memory as its base, and that would be the chunk.
    return np.frombuffer(memory.data[first : first + nbytes], np.uint8)
