"""How much memory a recording may take, checked before it is taken.

A column of equal numbers costs nothing in a file, so a file of a few bytes could announce billions of cells. What a
program records does not: the bound is far above the largest recordings of programs, in proportion to the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from tapeviz.recording.columns import NUMBERS, RecordingError, columns_of

__all__ = ["MAX_HEADER", "MemoryBudget"]

MAX_HEADER: Final = 2**20
"""Bytes of a frame's header: parsed, it takes a hundred times as much."""
_SLACK: Final = 2**26
_RATIO: Final = 256
_TOTAL: Final = 2**33
_TOTAL_RATIO: Final = 8
_ITEM: Final = 64
_SHARED_ITEM: Final = 8


class MemoryBudget:
    """What reading a recording may take in all.

    Args:
        size: bytes of the file.
    """

    def __init__(self, size: int) -> None:
        self._allowed = min(_SLACK + _RATIO * size, max(_TOTAL, _TOTAL_RATIO * size))
        self._taken = 0

    def take(self, size: int) -> None:
        """Count what is about to be taken.

        Raises:
            RecordingError: it is more than a recording of this size may take.
        """
        self._taken += size
        if self._taken > self._allowed:
            raise RecordingError(
                f"it would take more than {self._allowed:,} bytes of memory, which no recording of its size does"
            )

    def take_table(self, name: str, rows: int, types: Mapping[str, str]) -> None:
        """Count a table's columns: those that are there, and those of the schema that are to be filled in.

        Raises:
            RecordingError: they are more than a recording of this size may take.
        """
        missing = (column.type for column in columns_of(name).values() if column.name not in types)
        self.take(rows * (_width(types.values(), _ITEM) + _width(missing, _SHARED_ITEM)))


def _width(types: Iterable[str], item: int) -> int:
    return sum(NUMBERS[type_].itemsize if type_ in NUMBERS else item for type_ in types)
