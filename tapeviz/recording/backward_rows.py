"""Backward passes: which gradient is made of which contributions.

While a pass runs only this is kept: for each step its clock readings and its output, and for each contribution the
forward tensor, the input it is for and whether it was the first. Gradients get their numbers here, when rows are
packed.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, groupby, repeat, starmap
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

__all__ = ["BackwardRows", "Pass", "Steps"]


class Pass:
    """A backward pass: gradients by forward tensor, as they stand."""

    def __init__(self, span: Any) -> None:
        self.span = span
        self.adjoint: dict[int, int] = {}
        self.handed_out: dict[int, int] = {}  # forward tensor -> the number of the handle that the user got


class Steps(NamedTuple):
    """The steps of a pack as columns: per step, per incoming gradient of a step, per contribution, per seed."""

    outs: np.ndarray
    arrived: np.ndarray
    """How many gradients each step pulled back."""
    incoming: np.ndarray
    counts: np.ndarray
    """How many contributions each step made."""
    contributions: np.ndarray
    """Rows of ``forward, position, part, whole``."""
    seeds: list[tuple[Any, int, int]]


class BackwardRows:
    """Keeps what backward passes do and numbers their gradients. ``fresh`` gives a number never used before.

    ``steps`` gets ``(t0, t1, output, contributions so far)`` for each step (a tuple of outputs for an op with several),
    and the :class:`Pass` itself where one begins and where it ends. ``contributions`` gets ``(forward tensor, position,
    part, whole)``; ``part`` is 0 for an array without a number, ``whole`` 0 when it is the part, and -1 when it is a
    new sum.
    """

    def __init__(self, fresh: Callable[[], int]) -> None:
        self.steps: list[Any] = []
        self.contributions: list[tuple[int, int, int, int]] = []
        self.seeded: list[tuple[Pass, int, int]] = []
        self._numbered: list[np.ndarray] = []  # by contribution: part and whole, for arrays kept meanwhile
        self._fresh = fresh
        self._open: list[Pass] = []
        self._renamed: dict[int, int] = {}
        self._renaming: list[int] = []  # the numbers among them that are new since the last pack

    def rows(self) -> list[Any]:
        """The steps alone, without the marks of passes."""
        return [step for step in self.steps if step.__class__ is tuple]

    def take(self, rows: list[Any]) -> Steps:
        """Number everything kept so far, and forget it; ``rows`` are what :meth:`rows` gives."""
        ends = np.fromiter(map(itemgetter(3), rows), "i8", len(rows))
        contributions = self._contributed(int(ends[-1]) if rows else 0)
        outs, widths = _flat(list(map(itemgetter(2), rows)))
        last = np.cumsum(widths)
        arriving = self._arriving(contributions, outs, last.tolist())
        there = arriving > 0
        arrived = np.bincount(np.repeat(np.arange(len(rows)), widths)[there], minlength=len(rows))
        incoming = arriving[there]
        self.steps.clear()
        self._numbered.append(contributions[:, 2:].copy())
        for numbers in (incoming, contributions[:, 2], contributions[:, 3]):
            self._rename(numbers)
        self._renaming.clear()
        seeds = [(begun.span, forward, self._renamed.get(number, number)) for begun, forward, number in self.seeded]
        self.seeded.clear()
        first = np.array(outs, "i8")[last - widths]
        return Steps(first, arrived, incoming, np.diff(ends, prepend=0), contributions, seeds)

    def _contributed(self, count: int) -> np.ndarray:
        """The first so many contributions, their parts and sums numbered, in the order in which they were made."""
        made = np.fromiter(chain.from_iterable(self.contributions[:count]), "i8", 4 * count).reshape(-1, 4)
        del self.contributions[:count]
        parts, wholes = made[:, 2], made[:, 3]
        new_parts, sums = parts == 0, wholes < 0
        needed = new_parts.astype("i8") + sums
        total = int(needed.sum())
        numbers = np.fromiter(starmap(self._fresh, repeat((), total)), "i8", total)
        at = np.cumsum(needed) - needed
        parts[new_parts] = numbers[at[new_parts]]
        wholes[sums] = numbers[(at + new_parts)[sums]]
        np.copyto(wholes, parts, where=wholes == 0)
        return made

    def _arriving(self, contributions: np.ndarray, outs: list[int], last: list[int]) -> np.ndarray:
        """For each output of each step the gradient that the step pulled back, 0 for none; ``last`` is by step."""
        forward, wholes = contributions[:, 0].tolist(), contributions[:, 3].tolist()
        found: list[int] = []
        steps = at = 0
        for is_step, group in groupby(self.steps, key=_is_step):
            members = list(group)
            if not is_step:
                for mark in members:
                    self._mark(mark)
                continue
            adjoint = self._open[-1].adjoint
            start, at = at, members[-1][3]
            # All at once: nothing is added to a gradient any more when it has been pulled back.
            adjoint.update(zip(forward[start:at], wholes[start:at], strict=True))
            steps += len(members)
            found += map(adjoint.get, outs[len(found) : last[steps - 1]], repeat(0))
        return np.array(found, "i8")

    def _mark(self, mark: Pass) -> None:
        if self._open and self._open[-1] is mark:
            self._open.pop()
            for forward, handle in mark.handed_out.items():
                if (known := mark.adjoint.get(forward)) is not None:
                    self._renamed[known] = handle
                    self._renaming.append(known)
        else:
            self._open.append(mark)

    def _rename(self, numbers: np.ndarray) -> None:
        """Gradients that the user holds go by the number of the user's handle."""
        for hit in np.flatnonzero(np.isin(numbers, np.array(self._renaming, "i8"))):
            numbers[hit] = self._renamed[int(numbers[hit])]

    def number_of(self, key: int) -> int:
        """The number behind a key that a kept array has: itself, or (negative) a contribution's part or whole."""
        if key > 0:
            return key
        if len(self._numbered) > 1:
            self._numbered = [np.concatenate(self._numbered)]
        number = int(self._numbered[0].flat[-key - 1])
        return self._renamed.get(number, number)


def _is_step(row: Any) -> bool:
    return row.__class__ is tuple


def _flat(outs: list[Any]) -> tuple[list[int], np.ndarray]:
    """The outputs of steps in one list, and how many each step has."""
    if tuple not in set(map(type, outs)):
        return outs, np.ones(len(outs), "i8")
    parts = [out if out.__class__ is tuple else (out,) for out in outs]
    return list(chain.from_iterable(parts)), np.fromiter(map(len, parts), "i8", len(parts))
