"""The summaries of a recording's tensors, taken now and then while it is made: rows of ``stats`` that wait.

A summary is a few hundred bytes, an array may be megabytes: once it is here the array can go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final
from weakref import ref

import numpy as np

from tapeviz.recording.statistics import BINS, FIGURES, Summaries, summaries

__all__ = ["SummaryRows"]

_LARGE: Final = 2048  # elements from which it pays to ask whether the memory has been summarised already
_MOST_KNOWN: Final = 4096


class SummaryRows:
    """Summaries by the numbers of their tensors, in the order in which they were taken.

    ``to_host`` gives the array on the host that has an array's elements; ``counter_of`` what counts so many elements,
    for :func:`~tapeviz.recording.statistics.summaries`.
    """

    def __init__(
        self,
        to_host: Callable[[Any], np.ndarray],
        counter_of: Callable[[int], Callable[..., Any] | None] = lambda _size: None,
    ) -> None:
        self._to_host = to_host
        self._counter_of = counter_of
        self._numbers: list[int] = []
        self._figures: list[np.ndarray] = []
        self._histograms: list[np.ndarray] = []
        # By identity: an array whose memory has been summarised, and its figures. A gradient is handed on by several
        # ops, and its transpose has the same elements.
        self._known: dict[int, tuple[ref[np.ndarray], np.ndarray, np.ndarray]] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def add(self, numbers: Sequence[int], arrays: Iterable[Any]) -> None:
        """Summarise these arrays, which belong to tensors of these numbers."""
        hosts = [self._to_host(array) for array in arrays]
        owners = [_owner(host) if host.size > _LARGE else None for host in hosts]
        same = self._shared(owners)
        fresh = [at for at, known in enumerate(same) if known == at]
        of_fresh = dict(zip(fresh, range(len(fresh)), strict=True))
        first = [hosts[at] for at in fresh]
        found = summaries(first, self._counter_of(sum(host.size for host in first)))
        figures, histograms = np.empty((len(hosts), len(FIGURES))), np.empty((len(hosts), BINS), "<u4")
        known = np.ones(len(hosts), bool)
        for at, place in enumerate(same):
            if place is None:
                _, figures[at], histograms[at] = self._known[id(owners[at])]
            else:
                row = of_fresh[place]
                figures[at], histograms[at], known[at] = found.figures[row], found.histograms[row], found.known[row]
                if place != at and figures[at, -1] >= 0:  # in which order of the axes the first one is not finite
                    figures[at] = summaries([hosts[at]]).figures[0]
        self._remember(owners, Summaries(figures, histograms, known))
        self._numbers += [number for number, has in zip(numbers, known.tolist(), strict=True) if has]
        self._figures.append(figures[known])
        self._histograms.append(histograms[known])

    def _shared(self, owners: Sequence[Any]) -> list[int | None]:
        """For each array which of them to summarise for it: itself or an earlier one; None when that was done."""
        seen: dict[int, int] = {}
        places: list[int | None] = []
        for at, owner in enumerate(owners):
            if owner is None:
                places.append(at)
            elif (known := self._known.get(id(owner))) is not None and known[0]() is owner:
                places.append(None)
            else:
                places.append(seen.setdefault(id(owner), at))
        return places

    def _remember(self, owners: Sequence[Any], found: Summaries) -> None:
        """Remember the summaries of whole memories, by which others need not be taken."""
        if len(self._known) > _MOST_KNOWN:
            self._known = {key: known for key, known in self._known.items() if known[0]() is not None}
        for at, owner in enumerate(owners):
            # Where the first element lies that is not finite depends on the order of the axes.
            if owner is not None and found.known[at] and found.figures[at, -1] < 0:
                self._known[id(owner)] = (ref(owner), found.figures[at], found.histograms[at])

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
