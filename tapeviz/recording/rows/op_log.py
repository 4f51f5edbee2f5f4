"""The list in which a recorder keeps ops while user code runs, and the columns that it becomes.

One flat list, a fixed number of items an op: a tuple for each op would be an object more that Python's collector looks
at, again and again, for as long as the recording runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np

from tapeviz.recording.rows.lifetimes import Lifetimes

__all__ = ["OpColumns", "OpLog"]

_WIDTH: Final = 13


class OpColumns(NamedTuple):
    """Ops as columns, in the order in which they ran."""

    t0: np.ndarray
    t1: np.ndarray
    """Clock readings, in seconds."""
    ops: list[Any]
    codes: list[Any]
    instructions: list[int]
    """Where each was called: a code object and an instruction of it."""
    counts: np.ndarray
    """How many inputs each has."""
    inputs: np.ndarray
    """The inputs' numbers, one op's behind the other's."""
    outputs: np.ndarray
    shapes: list[tuple[int, ...]]
    dtypes: list[Any]
    attrs: list[Any]
    references: list[Any]
    """A weak reference to each output."""
    deaths: np.ndarray
    """How many tensors had died before."""

    def __len__(self) -> int:
        return len(self.t0)


class OpLog:
    """The list.

    :attr:`add` gets what is known of one op: ``(t0, t1, op, code, instruction, first, second, output, shape, dtype,
    attrs, reference, deaths)``, where ``second`` is the second input's number, 0 for none, and -1 when ``first`` is a
    tuple of all inputs.
    """

    def __init__(self) -> None:
        self._items: list[Any] = []
        self.add: Any = self._items.extend

    def __len__(self) -> int:
        return len(self._items) // _WIDTH

    def last_output(self) -> int | None:
        """The number of what was computed last."""
        return self._items[7 - _WIDTH] if self._items else None

    def starts(self) -> np.ndarray:
        """When each op began."""
        return np.fromiter(self._items[::_WIDTH], "f8", len(self))

    def read(self) -> Iterator[int]:
        """The numbers of all inputs."""
        for first, second in zip(self._items[5::_WIDTH], self._items[6::_WIDTH], strict=True):
            if second < 0:
                yield from first
            else:
                yield first
                yield second

    def cut(self, time: float, lifetimes: Lifetimes) -> tuple[list[int], list[Any], list[Any]]:
        """Forget the ops that began before a time: their outputs' numbers, shapes and dtypes."""
        items = self._items
        end = int(np.searchsorted(self.starts(), time)) * _WIDTH
        made = items[7:end:_WIDTH], items[8:end:_WIDTH], items[9:end:_WIDTH]
        ended = items[end - _WIDTH + 1] if end else None
        del items[:end]
        deaths = items[12] if items else None
        before = lifetimes.cut(deaths, ended)
        items[12::_WIDTH] = [count - before for count in items[12::_WIDTH]]
        return made

    def take(self) -> OpColumns:
        """What was added so far, which is then forgotten. The list stays the same one."""
        items, count = self._items, len(self._items)
        columns = [items[at:count:_WIDTH] for at in range(_WIDTH)]
        del items[:count]
        t0, t1, ops, codes, instructions, first, second, outputs, shapes, dtypes, attrs, references, deaths = columns
        rows = len(t0)
        counts, inputs = _inputs(first, np.fromiter(second, "i8", rows))
        return OpColumns(
            np.fromiter(t0, "f8", rows), np.fromiter(t1, "f8", rows), ops, codes, instructions, counts, inputs,
            np.fromiter(outputs, "i8", rows), shapes, dtypes, attrs, references, np.fromiter(deaths, "i8", rows),
        )  # fmt: skip


def _inputs(first: list[Any], second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How many inputs each op has, and all their numbers."""
    counts = 1 + (second > 0)
    several = np.flatnonzero(second < 0).tolist()
    given = [first[at] for at in several]
    for at, numbers in zip(several, given, strict=True):
        counts[at] = len(numbers)
        first[at] = 0
    ends = np.cumsum(counts)
    starts = ends - counts
    flat = np.zeros(int(ends[-1]) if len(ends) else 0, "i8")
    simple = second >= 0
    flat[starts[simple]] = np.fromiter(first, "i8", len(first))[simple]
    two = second > 0
    flat[starts[two] + 1] = second[two]
    for at, numbers in zip(several, given, strict=True):
        flat[starts[at] : ends[at]] = numbers
    return counts, flat
