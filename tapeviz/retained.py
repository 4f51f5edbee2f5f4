"""The arrays that a recorder keeps until statistics are taken, within a budget of bytes.

Tensors never change, so keeping a reference is enough. What is new is only appended to a list, by what runs once an op;
bytes are counted when the list has grown a little or something large has come.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from operator import attrgetter
from typing import Any, Final

__all__ = ["MANY", "Retained"]

MANY: Final = 128
"""How many items may wait to be counted."""

_nbytes: Final = attrgetter("nbytes")


class Retained:
    """Arrays by number. Those of contributions to gradients have no numbers yet: theirs are negative, by their order.

    Args:
        budget: how many bytes to keep; beyond that the oldest arrays go.
    """

    def __init__(self, budget: int) -> None:
        self._budget = budget
        # An array of more bytes than this is counted at once, so that what waits is little beside the budget.
        self.large = budget // 1024
        self.new: list[Any] = []
        """A number and an array, again and again."""
        self.contributed: list[Any] = []
        """What was added to a gradient and the sum (or itself again), likewise."""
        self._contributions = 0
        self._numbers: deque[int] = deque()
        self._arrays: deque[Any] = deque()
        self._nbytes = 0
        self._let_go = 0  # bytes of arrays whose tensors are in the recording no longer
        self.evicted = 0
        self.evicted_bytes = 0

    def keep(self, number: int, array: Any) -> None:
        """Keep this array."""
        self.new += (number, array)
        if array.nbytes > self.large or len(self.new) > MANY:
            self.settle()

    def settle(self) -> None:
        """Count what is new; when the budget is used up the oldest arrays go."""
        new = self.new[:]
        self.new.clear()  # the same lists stay
        self._add(new[::2], new[1::2])
        if self.contributed:
            self._settle_contributions()
        while self._nbytes > self._budget:
            self._numbers.popleft()
            gone = self._arrays.popleft().nbytes
            self._nbytes -= gone
            self.evicted += 1
            self.evicted_bytes += gone

    def _settle_contributions(self) -> None:
        addends, sums = self.contributed[::2], self.contributed[1::2]
        self.contributed.clear()
        first = -2 * self._contributions - 1
        self._contributions += len(addends)
        self._add(range(first, -2 * self._contributions - 1, -2), addends)
        more = [at for at, addend in enumerate(addends) if sums[at] is not addend]
        self._add([first - 1 - 2 * at for at in more], [sums[at] for at in more])

    def _add(self, numbers: Any, arrays: list[Any]) -> None:
        self._numbers.extend(numbers)
        self._arrays.extend(arrays)
        self._nbytes += sum(map(_nbytes, arrays))

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
        both = zip(self._numbers, self._arrays, strict=True)
        kept = [(new, array) for number, array in both if (new := moved(number))]
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
        return taken
