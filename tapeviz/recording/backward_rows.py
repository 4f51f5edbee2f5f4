"""Backward passes: which gradient is made of which contributions.

While a pass runs only this is kept: for each step its clock readings and its output, and for each contribution the
forward tensor, the input it is for and whether it was the first. Gradients get their numbers here, when rows are
packed.
"""

from __future__ import annotations

from collections.abc import Callable
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
    """The steps of a pack as columns; ``contributions`` has columns forward, position, part and whole."""

    outs: np.ndarray
    incoming: list[tuple[int, ...]]
    counts: np.ndarray
    contributions: np.ndarray
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
        self.numbered: list[tuple[int, int]] = []  # by contribution: part and whole, for arrays kept meanwhile
        self._fresh = fresh
        self._open: list[Pass] = []
        self._renamed: dict[int, int] = {}

    def rows(self) -> list[Any]:
        """The steps alone, without the marks of passes."""
        return [step for step in self.steps if step.__class__ is tuple]

    def take(self) -> Steps:
        """Number everything kept so far, and forget it."""
        outs, incoming, counts = [], [], []
        made: list[tuple[int, int, int, int]] = []
        at = 0
        for step in self.steps:
            if step.__class__ is not tuple:
                self._mark(step)
                continue
            adjoint = self._open[-1].adjoint
            many = step[2].__class__ is tuple
            incoming.append(tuple(adjoint.get(out, 0) for out in step[2]) if many else (adjoint.get(step[2], 0),))
            outs.append(step[2][0] if many else step[2])
            counts.append(step[3] - at)
            made.extend(self._contributed(adjoint, *row) for row in self.contributions[at : step[3]])
            at = step[3]
        del self.contributions[:at]
        self.steps.clear()
        self.numbered.extend(row[2:] for row in made)
        contributions = np.array(made, "i8").reshape(-1, 4)
        self._rename(contributions)
        incoming = [tuple(self._renamed.get(n, n) for n in numbers if n) for numbers in incoming]
        seeds = [(begun.span, forward, self._renamed.get(number, number)) for begun, forward, number in self.seeded]
        self.seeded.clear()
        return Steps(np.array(outs, "i8"), incoming, np.array(counts, "i8"), contributions, seeds)

    def _mark(self, mark: Pass) -> None:
        if self._open and self._open[-1] is mark:
            self._open.pop()
            for forward, handle in mark.handed_out.items():
                if (known := mark.adjoint.get(forward)) is not None:
                    self._renamed[known] = handle
        else:
            self._open.append(mark)

    def _contributed(self, adjoint: dict[int, int], forward: int, position: int, part: int, whole: int) -> Any:
        part = part or self._fresh()
        whole = part if whole == 0 else self._fresh() if whole < 0 else whole
        adjoint[forward] = whole
        return forward, position, part, whole

    def _rename(self, contributions: np.ndarray) -> None:
        """Gradients that the user holds go by the number of the user's handle."""
        for column in (2, 3):
            cells = contributions[:, column]
            hits = np.flatnonzero(np.isin(cells, np.fromiter(self._renamed, "i8", len(self._renamed))))
            for hit in hits:
                cells[hit] = self._renamed[int(cells[hit])]

    def number_of(self, key: int) -> int:
        """The number behind a key that a kept array has: itself, or (negative) a contribution's part or whole."""
        if key > 0:
            return key
        index, whole = divmod(-key - 1, 2)
        number = self.numbered[index][whole]
        return self._renamed.get(number, number)
