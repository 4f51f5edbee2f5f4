"""Integers by number: an array that grows as numbers do."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["Growing"]


class Growing:
    """A column indexed by small whole numbers; what was never set reads as ``missing``."""

    def __init__(self, missing: int) -> None:
        self._missing = missing
        self._cells = np.full(1024, missing, "i4")

    def set(self, numbers: Any, values: Any) -> None:
        """Set many at once."""
        if len(numbers):
            self._reserve(int(numbers.max()) + 1)
            self._cells[numbers] = values

    def of(self, numbers: np.ndarray) -> np.ndarray:
        """Read many at once; numbers out of range are missing."""
        if len(numbers):
            self._reserve(int(numbers.max()) + 1)
        return np.where(numbers < 0, self._missing, self._cells[np.maximum(numbers, 0)])

    def renumber(self, old: np.ndarray, new: np.ndarray) -> None:
        """What is at the ``old`` numbers is at the ``new`` ones from now on, and nothing is elsewhere."""
        values = self.of(old)
        self._cells = np.full(1024, self._missing, "i4")
        self.set(new, values)

    def _reserve(self, size: int) -> None:
        if size > self._cells.size:
            grown = np.full(max(size, 2 * self._cells.size), self._missing, "i4")
            grown[: self._cells.size] = self._cells
            self._cells = grown
