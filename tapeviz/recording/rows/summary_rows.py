"""The summaries of a recording's tensors, taken now and then while it is made: rows of ``stats`` that wait.

A summary is a few hundred bytes, an array may be megabytes: once it is here the array can go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any, Final, NamedTuple
from weakref import ref

import numpy as np

from tapeviz.recording.rows.statistics import BINS, FIGURES, Kernel, Summaries, summaries

__all__ = ["SummaryRows"]

_size: Final = attrgetter("size")

_LARGE: Final = 1 << 13  # elements from which it pays to ask whether the memory has been summarised already
_MOST_KNOWN: Final = 4096


class _Known(NamedTuple):
    """Where the summary of an array's memory is, as long as the array lives."""

    owner: ref[np.ndarray]
    found: Summaries
    row: int


class SummaryRows:
    """Summaries by the numbers of their tensors, in the order in which they were taken.

    ``to_host`` gives the array on the host that has an array's elements; ``kernel_of`` what summarises so many arrays
    with so many elements faster than NumPy, if anything does.
    """

    def __init__(
        self,
        to_host: Callable[[Any], np.ndarray],
        kernel_of: Callable[[int, int], Kernel | None] = lambda _arrays, _elements: None,
    ) -> None:
        self._to_host = to_host
        self._kernel_of = kernel_of
        self._numbers: list[int] = []
        self._figures: list[np.ndarray] = []
        self._histograms: list[np.ndarray] = []
        # By identity: an array whose memory has been summarised, and where. A gradient is handed on by several ops, and
        # its transpose has the same elements.
        self._known: dict[int, _Known] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def add(self, numbers: Sequence[int], arrays: Iterable[Any]) -> None:
        """Summarise these arrays, which belong to tensors of these numbers."""
        hosts = [self._to_host(array) for array in arrays]
        owners = [_owner(host) if host.size > _LARGE else None for host in hosts]
        fresh, rows, earlier = self._sorted(owners)
        first = [hosts[at] for at in fresh]
        found = summaries(first, self._kernel_of(len(first), sum(map(_size, first))))
        self._remember([owners[at] for at in fresh], found)
        order = np.array([row if row >= 0 else len(fresh) - 1 - row for row in rows], np.intp)
        figures = np.concatenate([found.figures, *(known.found.figures[known.row, None] for known in earlier)])[order]
        for at in np.flatnonzero(figures[:, -1] >= 0).tolist():
            if fresh[rows[at]] != at:  # in which order of the axes the first one is not finite
                figures[at] = summaries([hosts[at]]).figures[0]
        histograms = [found.histograms, *(known.found.histograms[known.row, None] for known in earlier)]
        has = np.concatenate([found.known, np.ones(len(earlier), bool)])[order]
        self._numbers += [number for number, it_has in zip(numbers, has.tolist(), strict=True) if it_has]
        self._figures.append(figures[has])
        self._histograms.append(np.concatenate(histograms)[order][has])

    def _sorted(self, owners: Sequence[Any]) -> tuple[list[int], list[int], list[_Known]]:
        """Which arrays to summarise, for each array the row of its summary among theirs, and what is known already.

        The row -1 stands for the first of what is known, -2 for the next.
        """
        seen: dict[int, int] = {}
        fresh: list[int] = []
        rows: list[int] = []
        earlier: list[_Known] = []
        for at, owner in enumerate(owners):
            row = len(fresh)
            if owner is not None:
                if (known := self._known.get(id(owner))) is not None and known.owner() is owner:
                    earlier.append(known)
                    rows.append(-len(earlier))
                    continue
                row = seen.setdefault(id(owner), row)
            if row == len(fresh):
                fresh.append(at)
            rows.append(row)
        return fresh, rows, earlier

    def _remember(self, owners: Sequence[Any], found: Summaries) -> None:
        """Remember the summaries of whole memories, by which others need not be taken."""
        if len(self._known) > _MOST_KNOWN:
            self._known = {key: known for key, known in self._known.items() if known.owner() is not None}
        # Where the first element lies that is not finite depends on the order of the axes.
        fit = found.known & (found.figures[:, -1] < 0)
        for row, (owner, fits) in enumerate(zip(owners, fit.tolist(), strict=True)):
            if owner is not None and fits:
                self._known[id(owner)] = _Known(ref(owner), found, row)

    def renumber(self, moved: Callable[[int], int]) -> None:
        """The tensors have other numbers; the summaries of those without one go."""
        numbers, found = self.take()
        new = [moved(number) for number in numbers]
        left = np.array([number != 0 for number in new], bool)
        self._numbers = [number for number in new if number]
        self._figures, self._histograms = [found.figures[left]], [found.histograms[left]]

    def take(self) -> tuple[list[int], Summaries]:
        """All summaries so far and the numbers of their tensors, which are then forgotten."""
        numbers, self._numbers = self._numbers, []
        figures = np.concatenate([np.empty((0, len(FIGURES))), *self._figures])
        histograms = np.concatenate([np.empty((0, BINS), "<u4"), *self._histograms])
        self._figures, self._histograms = [], []
        return numbers, Summaries(figures, histograms, np.ones(len(numbers), bool))


def _owner(array: np.ndarray) -> np.ndarray | None:
    """The array whose memory this one looks at, where it looks at each element of it once; else None."""
    owner = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    if owner is array:
        return array
    same = owner.size == array.size and owner.dtype == array.dtype and owner.flags.forc
    return owner if same and _is_dense(array) else None


def _is_dense(array: np.ndarray) -> bool:
    """Whether the elements lie side by side in memory, in whatever order of the axes."""
    expected = array.itemsize
    axes = sorted((stride, size) for stride, size in zip(array.strides, array.shape, strict=True) if size > 1)
    for stride, size in axes:
        if stride != expected:
            return False
        expected *= size
    return True
