"""Elements in a random order: a buffer of so many is kept full, and each time one of them is drawn."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from tapeviz.data import rows
from tapeviz.data.nodes import UNKNOWN, Element, Node, Run
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.ops.random.seeds import generator_of, mixed, seeds

__all__ = ["Order", "ShuffleNode"]

_BLOCK: Final = 1024
_DEFAULT: Final = 87654321


class Order:
    """The seeds of one shuffle, pass after pass.

    Args:
        seed: the user's own. The same seed after the same ``random.set_seed`` gives the same orders.
        again: whether each pass has another order.
    """

    def __init__(self, seed: int | None, *, again: bool) -> None:
        of_program = seeds.state()[0]
        if seed is None:
            self._base = seeds._drawn("shuffle", None)
        else:
            self._base = mixed(_DEFAULT if of_program is None else int(of_program), int(seed))
        self._again = again
        self._passes = 0
        self._lock = threading.Lock()

    @property
    def base(self) -> int:
        """What all seeds come from: two shuffles of equal buffers with the same one give one order."""
        return self._base

    def draw(self) -> tuple[int, int, int]:
        """What all seeds come from, the number of the next pass, and its seed."""
        with self._lock:
            number = self._passes
            self._passes += self._again
            return self._base, number, mixed(self._base, number)

    def go_to(self, base: int, number: int) -> None:
        """Have this pass come next: what was saved goes on."""
        with self._lock:
            self._base, self._passes = base, number


class ShuffleNode(Node):
    """The elements in a random order.

    Raises:
        InvalidArgumentError: the buffer holds nothing.
    """

    name = "Shuffle"

    def __init__(self, source: Node, size: int, order: Order) -> None:
        if size < 1 and size != UNKNOWN:
            raise InvalidArgumentError(
                "buffer_size must be greater than zero or UNKNOWN_CARDINALITY", "ShuffleDatasetV3"
            )
        self.inputs: tuple[Node] = (source,)
        self.spec: Any = source.spec
        self.by_rows: bool = source.by_rows
        self._size = size
        self._order = order

    @property
    def order(self) -> tuple[int, int]:
        """What decides the order, as far as the pipeline does."""
        return self._order.base, self._size

    def cardinality(self) -> int:
        """As many as come in."""
        return self.inputs[0].cardinality()

    def open(self, run: Run) -> Iterator[Element]:
        """Give them; as rows where they are."""
        if self.by_rows:
            return super().open(run)
        return self._drawn(self.inputs[0].open(run.input()), generator_of(run.seed(self._order)))

    def _drawn(self, elements: Iterator[Element], draw: np.random.Generator) -> Iterator[Element]:
        buffer: list[Element] = []
        places: list[int] = []
        for element in elements:
            if len(buffer) < self._size or self._size == UNKNOWN:
                buffer.append(element)
                continue
            if not places:
                places = draw.integers(self._size, size=_BLOCK).tolist()
            place = places.pop()
            drawn, buffer[place] = buffer[place], element
            yield drawn
        for place in draw.permutation(len(buffer)).tolist():
            yield buffer[place]

    def open_rows(self, run: Run) -> tuple[Any, Iterator[Any]]:
        """The rows' numbers in a random order."""
        picker, blocks = self.inputs[0].open_rows(run.input())
        return picker, self._blocks(blocks, generator_of(run.seed(self._order)))

    def _blocks(self, blocks: Iterator[Any], draw: np.random.Generator) -> Iterator[Any]:
        if self._size == UNKNOWN:
            yield draw.permutation(rows.joined([range(0), *blocks]))
            return
        waiting = _pieces(blocks, self._size)
        first = rows.joined([range(0), *_until(waiting, self._size)])
        buffer = draw.permutation(first)
        if len(first) < self._size:
            yield buffer
            return
        kept = buffer.tolist()
        for piece in waiting:
            places = draw.integers(self._size, size=len(piece)).tolist()
            drawn = []
            for place, number in zip(places, rows.as_array(piece).tolist(), strict=True):
                drawn.append(kept[place])
                kept[place] = number
            yield np.array(drawn)
        yield draw.permutation(kept)


def _pieces(blocks: Iterator[Any], size: int) -> Iterator[Any]:
    """The blocks cut so that the first of them make ``size`` rows, and none is long."""
    left = size
    for block in blocks:
        start = 0
        while start < len(block):
            piece = block[start : start + (left or _BLOCK)]
            left = max(left - len(piece), 0)
            start += len(piece)
            yield piece


def _until(pieces: Iterator[Any], size: int) -> Iterator[Any]:
    """Pieces until there are ``size`` rows."""
    have = 0
    while have < size:
        piece = next(pieces, None)
        if piece is None:
            return
        have += len(piece)
        yield piece
