"""From the engine's numbers of tensors to the recording's, which count from its beginning."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

__all__ = ["Numbering", "carry_on"]


class Numbering:
    """Numbers from ``base`` on are the recording's own; ``old`` has those that others have in it.

    ``former`` has those of numbers that ``old`` gave before, as long as anything goes by them.
    """

    def __init__(self, base: int) -> None:
        self.base = base
        self.old: dict[int, int] = {}
        self.former: dict[int, int] = {}

    def local(self, number: int) -> int:
        """The recording's number; below 0 for what it does not know."""
        return self.resolved(number) - self.base

    def resolved(self, number: int) -> int:
        """The number that a tensor has in the recording, with its ``base``."""
        return number if number >= self.base else self.old.get(number) or self.former.get(number, number)

    def locals(self, numbers: np.ndarray) -> np.ndarray:
        """The same for many."""
        local = numbers - self.base
        early = np.flatnonzero(local < 0)
        if early.size:
            known, inverse = np.unique(numbers[early], return_inverse=True)
            local[early] = np.array([self.local(number) for number in known.tolist()], "i8")[inverse]
        return local


def carry_on(known: dict[int, int], again: Mapping[int, int], base: int) -> None:
    """What goes by another number, when only what is ``again`` numbered and what is from ``base`` on is kept."""
    now = {number: number if number >= base else again.get(number, 0) for number in known.values()}
    still = {engine: now[number] for engine, number in known.items() if now[number]}
    known.clear()  # the same one stays
    known.update({number: new for number, new in again.items() if number not in now} | still)
