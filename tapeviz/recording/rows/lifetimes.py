"""When tensors died.

Each tensor that an op made has a weak reference here, whose callback appends it to a list; how long that list was is
noted with every op. A tensor died when the last op before had ended: no clock is read for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import repeat
from operator import itemgetter
from typing import Any

import numpy as np

__all__ = ["Lifetimes"]


class Lifetimes:
    """Living tensors by their references, and the references of dead ones as they came."""

    def __init__(self, started: float) -> None:
        self.died: list[Any] = []
        self._alive: dict[int, tuple[Any, int]] = {}
        self._ended = started  # when the last op so far ended

    def born(self, references: Sequence[Any], numbers: Sequence[int]) -> None:
        """Tensors with these references have these numbers."""
        self._alive.update(zip(map(id, references), zip(references, numbers, strict=True), strict=True))

    def living(self) -> list[int]:
        """The numbers of those that have not died."""
        return [number for _, number in self._alive.values()]

    def renumber(self, moved: Callable[[int], int]) -> None:
        """The living have other numbers; those without one are followed no longer."""
        self._alive = {
            key: (reference, new) for key, (reference, number) in self._alive.items() if (new := moved(number))
        }

    def cut(self, count: int | None, ended: float | None) -> int:
        """Forget the first deaths, all where it is not said how many, and when the last op so far ended: how many."""
        gone = len(self.died) if count is None else count
        del self.died[:gone]  # the same list stays
        self._ended = self._ended if ended is None else ended
        return gone

    def take(self, ends: np.ndarray, deaths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Those that died, and when (s); ``ends`` is when each op ended, ``deaths`` how many had died before it."""
        count = len(self.died)
        gone = self.died[:count]
        del self.died[:count]  # the same list stays: the references' callback appends to it
        numbers = np.fromiter(map(itemgetter(1), map(self._alive.pop, map(id, gone), repeat((None, -1)))), "i8", count)
        after = np.searchsorted(deaths, np.arange(count), side="right")  # so many ops had ended
        times = np.concatenate([[self._ended], ends])[after]
        if len(ends):
            self._ended = float(ends[-1])
        known = numbers >= 0
        return numbers[known], times[known]
