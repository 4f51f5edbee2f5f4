"""The values of variables that a program assigns together: parts of one array, which is used again when nobody has it.

A tensor never changes. So the new values go into an array that no tensor, view or user refers to any more: the one of
the step before the last, as a rule. Whether that is so, the reference counts of the array and of its parts tell; what
nobody refers to, nobody can begin to refer to, in no thread.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from sys import getrefcount
from typing import Any, Final
from weakref import WeakValueDictionary

import numpy as np

from tapeviz.engine.state import active
from tapeviz.engine.tensor import EagerTensor, wrap
from tapeviz.engine.variable import Variable
from tapeviz.graphs.memory.huge_pages import block

__all__ = ["Bank", "parts_of"]

_MOST: Final = 3


def parts_of(flat: np.ndarray, shapes: Sequence[tuple[int, ...]]) -> list[np.ndarray]:
    """Parts of a flat array, one after the other, in these shapes."""
    found, first = [], 0
    for shape in shapes:
        size = math.prod(shape)
        found.append(flat[first : first + size].reshape(shape))
        first += size
    return found


class _Set:
    """One array, its parts in the variables' shapes, and the pieces in which it is worked on."""

    def __init__(self, shapes: Sequence[tuple[int, ...]], dtype: np.dtype, piece: int) -> None:
        total = sum(map(math.prod, shapes))
        self.form: tuple[tuple[tuple[int, ...], ...], np.dtype] = (tuple(shapes), dtype)
        self._memory = block(total * dtype.itemsize)  # which every view refers to, views of views too
        self.flat: np.ndarray = self._memory.view(dtype)
        self.parts: list[np.ndarray] = parts_of(self.flat, shapes)
        self.pieces: list[np.ndarray] = (
            [self.flat[first : first + piece] for first in range(0, total, piece)] if piece else []
        )
        self._quiet = self._references()
        _by_memory[id(self._memory)] = self

    def _references(self) -> tuple[int, int]:
        return getrefcount(self._memory), sum(map(getrefcount, self.parts))

    def is_free(self) -> bool:
        """Whether nobody else refers to it."""
        return self._references() == self._quiet


# Sets by the identity of their memory, by which a program finds the one that another program has put values into.
_by_memory: Final[WeakValueDictionary[int, _Set]] = WeakValueDictionary()


class Bank:
    """Variables of one dtype, for one run at a time.

    Args:
        variables: the variables.
        shapes: their shapes.
        dtype: their dtype.
        piece: how many elements are worked on at once; 0 for all.
    """

    def __init__(
        self, variables: Sequence[Any], shapes: Sequence[tuple[int, ...]], dtype: np.dtype, piece: int
    ) -> None:
        self._variables = tuple(variables)
        self._in_session = any(variable.__class__._bind is not Variable._bind for variable in variables)
        self._form = (tuple(shapes), dtype, piece)
        self._sets: list[_Set] = []
        self._now: _Set | None = None
        self._next: _Set | None = None
        self._held: list[np.ndarray] = []

    def current(self) -> _Set:
        """The values of now; copied together where they are not what was assigned here."""
        now = self._now
        if now is not None:
            for variable, part in zip(self._variables, now.parts, strict=True):
                if variable._value._a is not part:
                    break
            else:
                return now
        self._held = []
        if (others := self._of_another_program()) is not None:
            self._now = others
            return others
        now = self._now = self._free()
        for variable, part in zip(self._variables, now.parts, strict=True):
            np.copyto(part, variable._value._a)
        return now

    def _of_another_program(self) -> _Set | None:
        """The set of another bank of the same variables that has their values, as when programs take turns."""
        found = _by_memory.get(id(self._variables[0]._value._a.base))
        if found is None or found.form != self._form[:2] or bool(found.pieces) != bool(self._form[2]):
            return None
        if found.pieces and found.pieces[0].size != min(self._form[2], found.flat.size):
            return None
        held = list(found.parts)  # so that its own bank does not take it for free while it is read here
        for variable, part in zip(self._variables, held, strict=True):
            if variable._value._a is not part:
                return None
        self._held = held
        return found

    def fresh(self) -> _Set:
        """Where to put the new values."""
        self._next = self._free()
        return self._next

    def bind(self) -> None:
        """Assign the new values."""
        assert self._next is not None  # noqa: S101 - `fresh` was called
        self._now, self._next, self._held = self._next, None, []
        for variable, part in zip(self._variables, self._now.parts, strict=True):
            if active or self._in_session:  # a session keeps the values of its variables itself
                variable._bind(wrap(part), "assigned")
            else:
                tensor = EagerTensor()
                tensor._a = part
                variable._value = tensor

    def _free(self) -> _Set:
        for found in self._sets:
            if found is not self._now and found is not self._next and found.is_free():
                return found
        made = _Set(*self._form)
        self._sets = [*self._sets[1 - _MOST :], made]
        return made
