"""Elements that are rows: picked by number, one at a time or a whole batch by one call of NumPy.

Slices of arrays stay rows through ``shuffle``, ``repeat``, ``take``, ``skip``, ``shard`` and ``zip``: these only say
which numbers come next, in blocks that are ranges or arrays of numbers. So a batch is gathered at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

__all__ = ["Arrays", "Numbers", "Together", "chunks", "cut"]

Block = Any


class Arrays:
    """Rows of arrays of one length."""

    def __init__(self, arrays: Sequence[np.ndarray]) -> None:
        self._arrays = tuple(arrays)

    def one(self, index: int) -> tuple[Any, ...]:
        """One row: a view of each array."""
        return tuple([array[index, ...] for array in self._arrays])

    def many(self, block: Block) -> tuple[Any, ...]:
        """Several rows, stacked: a view where they lie one behind the other."""
        if block.__class__ is range:
            if not len(block):
                return tuple([array[:0] for array in self._arrays])
            where = slice(block[0], block[-1] + 1, block.step)
            return tuple([np.ascontiguousarray(array[where]) for array in self._arrays])
        return tuple([array.take(block, axis=0) for array in self._arrays])


class Numbers:
    """The numbers of a range."""

    def __init__(self, start: int, step: int, dtype: np.dtype) -> None:
        self._start, self._step, self._dtype = start, step, dtype

    def one(self, index: int) -> tuple[Any, ...]:
        """One of them."""
        return (np.array(self._start + self._step * index, self._dtype),)

    def many(self, block: Block) -> tuple[Any, ...]:
        """Several of them."""
        places = np.arange(block.start, block.stop, block.step) if block.__class__ is range else block
        return ((self._start + self._step * places).astype(self._dtype),)


class Together:
    """Rows of several sorts side by side."""

    def __init__(self, pickers: Sequence[Any]) -> None:
        self._pickers = tuple(pickers)

    def one(self, index: int) -> tuple[Any, ...]:
        """One row of each."""
        return tuple([part for picker in self._pickers for part in picker.one(index)])

    def many(self, block: Block) -> tuple[Any, ...]:
        """Several rows of each."""
        return tuple([part for picker in self._pickers for part in picker.many(block)])


def cut(blocks: Iterator[Block], count: int) -> Iterator[Block]:
    """The first ``count`` rows; all of them where it is negative."""
    left = count
    if not left:
        return
    for block in blocks:
        if 0 <= left <= len(block):
            yield block[:left]
            return
        left -= len(block)
        yield block


def after(blocks: Iterator[Block], count: int) -> Iterator[Block]:
    """All rows but the first ``count``."""
    left = count
    for block in blocks:
        if left >= len(block):
            left -= len(block)
            continue
        yield block[left:] if left else block
        left = 0


def chunks(blocks: Iterator[Block], size: int) -> Iterator[Block]:
    """The rows in blocks of ``size``; the last one may be smaller."""
    rest: list[Block] = []
    have = 0
    for block in blocks:
        start = 0
        while have + len(block) - start >= size:
            piece = block[start : start + size - have]
            start += len(piece)
            yield joined([*rest, piece]) if rest else piece
            rest, have = [], 0
        if start < len(block):
            rest.append(block[start:] if start else block)
            have += len(block) - start
    if rest:
        yield joined(rest)


def joined(blocks: Sequence[Block]) -> Block:
    """Several blocks as one."""
    return blocks[0] if len(blocks) == 1 else np.concatenate([as_array(block) for block in blocks])


def as_array(block: Block) -> np.ndarray:
    """The numbers in a block as an array."""
    return np.arange(block.start, block.stop, block.step) if block.__class__ is range else block
