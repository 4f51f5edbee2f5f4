"""Lists of arrays as they are when a graph runs: values, which are replaced and never changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Self

import numpy as np

from tapeviz.engine.types import LIST

__all__ = ["Items", "arrays_in"]


def arrays_in(values: Iterable[Any]) -> Iterator[Any]:
    """The values, and arrays of rank 0 for the scalars that NumPy gives for the elements of an array."""
    return (np.asarray(value) if isinstance(value, np.generic) else value for value in values)


class Items:
    """A list of arrays, some of which may not be there. Putting one in makes another list.

    The newest of the lists made from each other has the arrays; an older one knows what is different in it. So what
    programs do nearly always, going on with the newest, takes no time that grows with the length. Whoever asks an older
    one makes that the one with the arrays.

    Args:
        arrays: by position.
        length: how many positions there are.
    """

    __slots__ = ("_arrays", "_newer", "_position", "_was", "length")

    # What eager tensors are asked of the arrays that they stand on.
    is_list = True
    shape: tuple[()] = ()
    ndim = 0
    size = 1
    nbytes = 0
    dtype = LIST

    def __init__(self, arrays: dict[int, Any], length: int) -> None:
        self._arrays: dict[int, Any] | None = arrays
        self._newer: Any = None
        self._position = 0
        self._was: Any = None
        self.length: int = length

    @property
    def element_shape(self) -> tuple[int, ...] | None:
        """The shape of one of the arrays, and mostly of all; None where there is none."""
        return next((array.shape for array in self.arrays().values()), None)

    @classmethod
    def of(cls, arrays: Iterable[Any]) -> Self:
        """The list of these arrays."""
        found = dict(enumerate(arrays_in(arrays)))
        return cls(found, len(found))

    def arrays(self) -> dict[int, Any]:
        """What is there, by position. Only to be looked at."""
        if self._arrays is None:
            chain: list[Items] = [self]
            while chain[-1]._newer._arrays is None:
                chain.append(chain[-1]._newer)
            for older in reversed(chain):
                older._take_over()
        return self._arrays  # type: ignore[return-value]

    def _take_over(self) -> None:
        """Become the one with the arrays; the next newer one then knows what is different in it."""
        newer, position = self._newer, self._position
        arrays = newer._arrays
        newer._arrays, newer._newer, newer._position, newer._was = None, self, position, arrays.get(position)
        if self._was is None:
            arrays.pop(position, None)
        else:
            arrays[position] = self._was
        self._arrays, self._newer, self._was = arrays, None, None

    def get(self, position: int) -> Any:
        """The array at a position; None where there is none."""
        return self.arrays().get(position)

    def put(self, position: int, array: Any) -> Items:
        """The list with another array at a position; ``None`` for none."""
        arrays = self.arrays()
        made = Items(arrays, max(self.length, position + 1))
        self._arrays, self._newer, self._position, self._was = None, made, position, arrays.get(position)
        if array is None:
            arrays.pop(position, None)
        else:
            arrays[position] = array
        return made

    def column(self) -> list[Any]:
        """The arrays in order, None where there is none."""
        arrays = self.arrays()
        return [arrays.get(position) for position in range(self.length)]

    def __add__(self, other: Items) -> Items:
        """The sum, position by position; what is not there is zero."""
        large, small = (self, other) if len(self.arrays()) >= len(other.arrays()) else (other, self)
        total = large
        for position, array in list(small.arrays().items()):
            before = total.get(position)
            total = total.put(position, array if before is None else before + array)
        return total
