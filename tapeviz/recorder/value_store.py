"""The arrays that a recorder keeps to show their contents, within a budget of bytes, and the summaries of all.

Tensors never change, so keeping a reference is enough. What is new is only appended to a list, by what runs once an op;
bytes are counted when the list has grown a little or something large has come. No array goes before its summary is
taken: the budget is for contents alone, and every tensor has its figures.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from operator import attrgetter
from time import perf_counter
from typing import Any, Final

from tapeviz.recording.rows.statistics import Kernel, Summaries
from tapeviz.recording.rows.summary_rows import SummaryRows

__all__ = ["MANY", "ValueStore"]

MANY: Final = 128
"""How many items may wait to be counted."""

# So much is summarised at a time, if it is less than this part of the budget: enough for small arrays to be summarised
# together, and little enough to be in the processor's caches still.
_WARM: Final = 2**22
_PART: Final = 8
_AT_ONCE: Final = 2**25  # bytes, or
_ARRAYS_AT_ONCE: Final = 2**14  # arrays, after which somebody may interrupt
_WAITING: Final = 2**15  # arrays that may wait to be summarised when rows are packed

_nbytes: Final = attrgetter("nbytes")


class ValueStore:
    """Arrays by number. Those of contributions to gradients have no numbers yet: theirs are negative, by their order.

    Args:
        budget: how many bytes to keep; beyond that the oldest arrays go.
        to_host: gives the array on the host that has an array's elements.
        kernel_of: gives what summarises so many arrays with so many elements faster than NumPy, if anything does.
    """

    def __init__(
        self,
        budget: int,
        to_host: Callable[[Any], Any],
        kernel_of: Callable[[int, int], Kernel | None] = lambda _arrays, _elements: None,
    ) -> None:
        self._budget = budget
        # An array of more bytes than this is counted at once, so that what waits is little beside the budget.
        self.large: int = budget // 1024
        self.new: list[Any] = []
        """A number and an array, again and again."""
        self.contributed: list[Any] = []
        """What was added to a gradient and the sum (or itself again), likewise."""
        self._contributions = 0
        self._gradients: list[
            tuple[Sequence[int], list[Any]]
        ] = []  # of which it is not known yet whose memory they use
        self._roots: tuple[list[int], list[Any]] = [], []  # what those before them used, and whose that is
        self._shared: list[tuple[int, int]] = []
        self._numbers: deque[int] = deque()
        self._arrays: deque[Any] = deque()
        self._nbytes = 0
        # The newest of them, which have no summaries yet, as they were settled: an object each would be more work
        # for the garbage collector.
        self._fresh: deque[tuple[Sequence[int], list[Any]]] = deque()
        self.waiting: int = 0
        """How many of the arrays counted so far have no summary yet."""
        self._waiting_bytes = 0
        self._part = min(_WARM, budget // _PART)
        self._rows = SummaryRows(to_host, kernel_of)
        self._let_go = 0  # bytes of arrays whose tensors are in the recording no longer
        self.evicted: int = 0
        self.evicted_bytes: int = 0
        self.seconds: float = 0.0
        """How long summaries took."""

    def keep(self, number: int, array: Any) -> None:
        """Keep this array."""
        self.new += (number, array)
        if array.nbytes > self.large or len(self.new) > MANY:
            self.settle()

    def keep_seed(self, number: int, array: Any) -> None:
        """Keep the gradient that a backward pass begins with."""
        self._gradients.append(([number], [array]))
        self.keep(number, array)

    def settle(self) -> None:
        """Count what is new; when the budget is used up the oldest arrays go.

        From then on every array will have to go, so summaries are taken as soon as there are enough to do together.
        """
        new = self.new[:]
        self.new.clear()  # the same lists stay
        self._add(new[::2], new[1::2])
        if self.contributed:
            self._settle_contributions()
        is_used_up = self.evicted > 0 or self._nbytes > self._budget
        if is_used_up and self._gradients:
            self._note_shared_gradients()
        while is_used_up and self._waiting_bytes >= self._part and self.waiting:
            self._summarise(self._part)
        while self._nbytes > self._budget:
            if self.waiting == len(self._arrays):
                self._summarise(self._part)
            self._evict()

    def _evict(self) -> None:
        """Let the oldest go that have summaries, until the others are within the budget."""
        numbers, arrays, left, before = self._numbers, self._arrays, self._nbytes, len(self._arrays)
        while left > self._budget and len(arrays) > self.waiting:
            numbers.popleft()
            left -= arrays.popleft().nbytes
        self.evicted += before - len(arrays)
        self.evicted_bytes += self._nbytes - left
        self._nbytes = left

    def _settle_contributions(self) -> None:
        addends, sums = self.contributed[::2], self.contributed[1::2]
        self.contributed.clear()
        first = -2 * self._contributions - 1
        self._contributions += len(addends)
        numbers = range(first, -2 * self._contributions - 1, -2)
        self._add(numbers, addends)
        more = [at for at, addend in enumerate(addends) if sums[at] is not addend]
        self._add([first - 1 - 2 * at for at in more], [sums[at] for at in more])
        self._gradients += [(numbers, addends), ([first - 1 - 2 * at for at in more], [sums[at] for at in more])]

    # Gradients that use the memory of others.

    def _note_shared_gradients(self) -> None:
        """Find the gradients that are views of the same memory. It belongs to the first of them."""
        numbers, roots = self._roots
        before = len(numbers)
        for some_numbers, arrays in self._gradients:
            numbers += some_numbers
            roots += [array if (base := getattr(array, "base", None)) is None else base for array in arrays]
        self._gradients.clear()
        owner: dict[int, int] = {}
        owners = list(map(owner.setdefault, map(id, roots), numbers))
        self._shared += [pair for pair in zip(numbers[before:], owners[before:], strict=True) if pair[0] != pair[1]]
        self._roots = owners[before:], roots[before:]

    def shared_gradients(self) -> list[tuple[int, int]]:
        """Gradients and those whose memory they use, by their numbers here, which are then forgotten."""
        self.settle()
        self._note_shared_gradients()
        shared, self._shared, self._roots = self._shared, [], ([], [])
        return shared

    def _add(self, numbers: Sequence[int], arrays: list[Any]) -> None:
        if not arrays:
            return
        self._numbers.extend(numbers)
        self._arrays.extend(arrays)
        self._fresh.append((numbers, arrays))
        self.waiting += len(arrays)
        nbytes = sum(map(_nbytes, arrays))
        self._nbytes += nbytes
        self._waiting_bytes += nbytes

    # Summaries.

    def _summarise(self, least: int) -> None:
        """Take the summaries of the oldest that have none: of as many as have so many bytes, or a few more."""
        t0 = perf_counter()
        numbers: list[int] = []
        arrays: list[Any] = []
        size = settled = 0
        for some_numbers, some_arrays in self._fresh:
            numbers += some_numbers
            arrays += some_arrays
            settled += 1
            size += sum(map(_nbytes, some_arrays))
            if size >= least or len(arrays) >= _ARRAYS_AT_ONCE:
                break
        self._rows.add(numbers, arrays)
        for _ in range(settled):  # not before, so that an interrupt leaves none without
            self.waiting -= len(self._fresh.popleft()[1])
        self._waiting_bytes -= size
        self.seconds += perf_counter() - t0

    def summarise_some(self) -> None:
        """Take summaries; :attr:`waiting` says whether more of them are to be taken."""
        if self.waiting:
            self._summarise(_AT_ONCE)

    def summarise_if_many(self) -> None:
        """Take summaries if many arrays wait for theirs, so that few are left when the program has ended."""
        self.settle()
        if self.waiting >= _WAITING:
            while self.waiting:
                self.summarise_some()

    def summaries(self) -> tuple[list[int], Summaries]:
        """The numbers of what has been summarised, and the summaries, which are then forgotten."""
        return self._rows.take()

    # What there is.

    def count(self) -> int:
        """How many contributions there have been."""
        return self._contributions + len(self.contributed) // 2

    @property
    def nbytes(self) -> int:
        """How many bytes have been kept, with those that had to go."""
        self.settle()
        return self._nbytes + self.evicted_bytes + self._let_go

    def renumber(self, moved: Callable[[int], int]) -> None:
        """The arrays have other numbers; those without one go."""
        self.settle()
        self._rows.renumber(moved)
        new = [moved(number) for number in self._numbers]
        kept = [(number, array) for number, array in zip(new, self._arrays, strict=True) if number]
        fresh = kept[len(kept) - sum(1 for number in new[len(new) - self.waiting :] if number) :]
        self._fresh = deque([([number for number, _ in fresh], [array for _, array in fresh])] if fresh else [])
        self.waiting = len(fresh)
        self._waiting_bytes = sum(array.nbytes for _, array in fresh)
        self._numbers = deque(number for number, _ in kept)
        self._arrays = deque(array for _, array in kept)
        now = sum(array.nbytes for _, array in kept)
        self._let_go += self._nbytes - now
        self._nbytes = now

    def take(self) -> list[tuple[int, Any]]:
        """What is kept, which is then forgotten."""
        self.settle()
        taken = list(zip(self._numbers, self._arrays, strict=True))
        self._numbers.clear()
        self._arrays.clear()
        self._fresh.clear()
        self.waiting = self._waiting_bytes = 0
        return taken
