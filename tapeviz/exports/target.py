"""Where an export goes: a path, or something open for writing bytes."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import BinaryIO, TypeAlias

from tapeviz.files import write_atomic

__all__ = ["Target", "put"]

Target: TypeAlias = str | os.PathLike[str] | BinaryIO


def put(pieces: Iterable[bytes | memoryview], target: Target) -> None:
    """Write the pieces one after the other.

    Raises:
        OSError: it cannot be written. What is at a path is as it was then.
    """
    if not isinstance(target, (str, os.PathLike)):
        target.writelines(pieces)
        return
    write_atomic(target, pieces)
