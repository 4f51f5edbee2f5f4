"""Whether an array that comes back is memory that left before."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

__all__ = ["Memory"]


class Memory:
    """The addresses of arrays that left and are still there. An address alone says nothing: it is used again."""

    def __init__(self) -> None:
        self._away: weakref.WeakValueDictionary[int, np.ndarray] = weakref.WeakValueDictionary()

    def left(self, array: Any) -> int:
        """An array left: where its memory is, 0 for what is no array."""
        if not isinstance(array, np.ndarray):
            return 0
        owner = _owner(array)
        address = _address(owner)
        self._away[address] = owner
        return address

    def entered(self, array: Any) -> int:
        """An array came in: where its memory is when that left before, else 0."""
        if not isinstance(array, np.ndarray):
            return 0
        owner = _owner(array)
        address = _address(owner)
        return address if self._away.get(address) is owner else 0


def _owner(array: np.ndarray) -> np.ndarray:
    """The array whose memory this one looks at."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])
