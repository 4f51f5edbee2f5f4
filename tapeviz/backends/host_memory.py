"""Memory of large arrays that have died: kept for the next ones, up to a limit.

glibc gives a block of more than 32 MiB back to the system as soon as it is freed, and the free end of its heap from
64 MiB on. The next array of that size gets new pages, which the system clears one by one as they are written to: that
took half the time of an iteration of l-BFGS on 60,000 pictures, and a third of a step of a small convolutional model.
Here the C library is told to keep more. It serves every op and every array inside an op, and costs small ones nothing.

What this changes is the process's, as there is one heap: other libraries' freed memory is kept likewise. Decision 18
says what else was tried.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Mapping
from typing import Any, Final

__all__ = ["CHOICE", "c_library", "give_back", "keep_freed"]

CHOICE: Final = "TAPEVIZ_HOST_MEMORY_LIMIT"
"""Where the environment says how many MiB of free memory to keep at most. With 0 the C library is left alone."""

_MIB: Final = 1 << 20
_MOST: Final = 2**31 - 1  # what mallopt takes
_PART: Final = 4  # of the machine's memory a quarter may be kept, where that is less
_OLD: Final = 32 * _MIB  # older ones refuse to keep larger blocks
_TRIM_THRESHOLD: Final = -1  # the names in malloc.h: M_TRIM_THRESHOLD, M_MMAP_THRESHOLD
_MMAP_THRESHOLD: Final = -3


def c_library() -> Any:
    """The C library of this process; None where it is not glibc."""
    if sys.platform != "linux":
        return None
    library = ctypes.CDLL(None)
    return library if hasattr(library, "mallopt") and hasattr(library, "malloc_trim") else None


def keep_freed(library: Any, environment: Mapping[str, str] = os.environ) -> int:
    """Tell the C library to keep freed memory.

    Up to how many bytes: a block that is larger goes back to the system when it is freed, and what is free at the
    heap's end when it is more. 0 where nothing was changed: the library is another, or the user has told it already.
    """
    if library is None or (limit := _limit(environment)) <= 0 or _is_configured(environment):
        return 0
    if not library.mallopt(_MMAP_THRESHOLD, limit):
        library.mallopt(_MMAP_THRESHOLD, min(limit, _OLD))
    library.mallopt(_TRIM_THRESHOLD, limit)
    return limit


def _limit(environment: Mapping[str, str]) -> int:
    """What the environment says, else a part of the machine's memory; at most what can be said."""
    said = environment.get(CHOICE, "")
    if said.strip().isdigit():
        return min(int(said) * _MIB, _MOST)
    return min(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // _PART, _MOST)


def _is_configured(environment: Mapping[str, str]) -> bool:
    """Whether the user's environment says how memory is kept."""
    own = ("MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_MAX_", "MALLOC_TOP_PAD_")
    return any(name in environment for name in own) or "glibc.malloc." in environment.get("GLIBC_TUNABLES", "")


def give_back(library: Any) -> None:
    """Give all whole pages that are free back to the system, wherever they are in the heap."""
    if library is not None:
        library.malloc_trim(0)
