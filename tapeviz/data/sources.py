"""Where pipelines begin: arrays, their slices, numbers, lists of elements, and what is only given in a pass."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from tapeviz.data.nodes import INFINITE, UNKNOWN, Element, Node, Run, all_static, symbols_of
from tapeviz.data.rows import Arrays, Numbers
from tapeviz.data.structures import labels, mapped, named, spec_of
from tapeviz.engine import nest
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.scopes import TensorSpec
from tapeviz.engine.symbolic import SymbolicTensor
from tapeviz.ops.random.seeds import generator_of

__all__ = ["Bound", "CounterNode", "Given", "ListNode", "RandomNode", "RangeNode", "SliceNode", "TensorNode"]

_BLOCK: Final = 1024


def _symbolic(parts: Sequence[Any]) -> tuple[Any, ...]:
    own = [part for part in parts if isinstance(part, SymbolicTensor)]
    inner = [symbol for part in parts if hasattr(part, "_step") for symbol in symbols_of(part._step)]
    return tuple({id(symbol): symbol for symbol in (*own, *inner)}.values())


class TensorNode(Node):
    """One element."""

    name = "Tensor"

    def __init__(self, structure: Any) -> None:
        self._parts = tuple(nest.flatten(structure))
        self.spec: Any = mapped(structure, spec_of)
        self.symbols: tuple[Any, ...] = _symbolic(self._parts)

    def cardinality(self) -> int:
        """One."""
        return 1

    def open(self, run: Run) -> Iterator[Element]:
        """Give it."""
        yield tuple([run.value(part) for part in self._parts])


class SliceNode(Node):
    """The slices of tensors along their first axis.

    Raises:
        ValueError: there is nothing to slice, a tensor has no axis, or lengths differ.
    """

    name = "TensorSlice"
    by_rows = plain = True

    def __init__(self, structure: Any) -> None:
        self._parts = tuple(nest.flatten(structure))
        if not self._parts:
            raise ValueError("Invalid `tensors`. `tensors` should not be empty.")
        names = labels(structure)
        for place, part in enumerate(self._parts):
            if hasattr(part, "_step"):
                raise TypeError(f"{named(place, names)} is a dataset, which has no slices; use Dataset.zip")
            if (part.ndim if isinstance(part, np.ndarray) else part.shape.rank) == 0:
                raise ValueError(
                    f"Unbatching a tensor is only supported for rank >= 1: {named(place, names)} has shape ()"
                )
        self._check_lengths([_length(part) for part in self._parts], names)
        self.spec: Any = mapped(structure, _row_spec)
        self.symbols: tuple[Any, ...] = _symbolic(self._parts)

    @staticmethod
    def _check_lengths(lengths: Sequence[int | None], names: Sequence[str]) -> None:
        known = [(place, length) for place, length in enumerate(lengths) if length is not None]
        for place, length in known[1:]:
            if length != known[0][1]:
                raise ValueError(
                    f"Dimensions {known[0][1]} and {length} are not compatible: {named(known[0][0], names)} has "
                    f"{known[0][1]} slices, {named(place, names)} has {length}"
                )

    def cardinality(self) -> int:
        """The length of the first axis."""
        return next((length for part in self._parts if (length := _length(part)) is not None), UNKNOWN)

    def open_rows(self, run: Run) -> tuple[Any, Iterator[Any]]:
        """All rows."""
        arrays = [run.value(part) for part in self._parts]
        for place, array in enumerate(arrays):
            if len(array) != len(arrays[0]):
                raise InvalidArgumentError(
                    f"component {place} has {len(array)} slices, component 0 has {len(arrays[0])}"
                )
        return Arrays(arrays), iter([range(len(arrays[0]))])


def _length(part: Any) -> int | None:
    dims = part.shape if isinstance(part, np.ndarray) else part.shape.dims
    return None if dims is None else dims[0]


def _row_spec(part: Any) -> TensorSpec:
    dims = part.shape if isinstance(part, np.ndarray) else part.shape.dims
    return TensorSpec(None if dims is None else dims[1:], part.dtype)


class RangeNode(Node):
    """Numbers from ``start`` to ``stop``, which is not among them, by ``step``."""

    name = "Range"
    by_rows = plain = True

    def __init__(self, start: Any, stop: Any, step: Any, dtype: Any) -> None:
        self._limits = (start, stop, step)
        self._dtype = dtype
        self.spec: Any = TensorSpec((), dtype)
        self.symbols: tuple[Any, ...] = tuple(limit for limit in self._limits if isinstance(limit, SymbolicTensor))
        if all_static([step]) and step == 0:
            raise InvalidArgumentError("step must be a non-zero integer.", "RangeDataset")

    def cardinality(self) -> int:
        """How many numbers there are."""
        return len(range(*self._limits)) if all_static(self._limits) else UNKNOWN

    def open_rows(self, run: Run) -> tuple[Any, Iterator[Any]]:
        """All of them."""
        start, stop, step = map(run.number, self._limits)
        return Numbers(start, step, self._dtype.numpy), iter([range(len(range(start, stop, step)))])


class CounterNode(Node):
    """Numbers from ``start`` by ``step``, without end."""

    name = "Counter"
    by_rows = True

    def __init__(self, start: int, step: int, dtype: Any) -> None:
        self._start, self._by, self._dtype = start, step, dtype
        self.spec: Any = TensorSpec((), dtype)

    def cardinality(self) -> int:
        """Without end."""
        return INFINITE

    def open_rows(self, run: Run) -> tuple[Any, Iterator[Any]]:
        """All of them."""
        blocks = (range(first, first + _BLOCK) for first in itertools.count(0, _BLOCK))
        return Numbers(self._start, self._by, self._dtype.numpy), blocks


class ListNode(Node):
    """Elements that are there already, as flat tuples: a window, what is in a cache."""

    name = "List"

    def __init__(self, elements: Sequence[Element], spec: Any) -> None:
        self._elements = elements
        self.spec = spec

    def cardinality(self) -> int:
        """How many there are."""
        return len(self._elements)

    def open(self, run: Run) -> Iterator[Element]:
        """Give them."""
        return iter(self._elements)


class RandomNode(Node):
    """Whole numbers without end."""

    name = "Random"

    def __init__(self, order: Any) -> None:
        self._order = order
        self.spec: Any = TensorSpec((), "int64")

    def cardinality(self) -> int:
        """Without end."""
        return INFINITE

    def open(self, run: Run) -> Iterator[Element]:
        """Draw them."""
        draw = generator_of(run.seed(self._order))
        while True:
            for number in draw.integers(0, 2**32, _BLOCK):
                yield (np.array(number, np.int64),)


class Given(Node):
    """A dataset that is only given in a pass: an argument of a traced function. ``symbol`` stands for it."""

    name = "Given"

    def __init__(self, symbol: Any, spec: Any) -> None:
        self.symbol = symbol
        self.symbols: tuple[Any, ...] = (symbol,)
        self.spec = spec

    def open(self, run: Run) -> Iterator[Element]:
        """Go through the one that was given."""
        node: Node = run.given[id(self.symbol)]
        return node.open(run.input())


class Bound(Node):
    """A dataset that a function has given, with the values that it needs."""

    def __init__(self, template: Node, given: dict[int, Any]) -> None:
        self.name: str = template.name
        self.inputs: tuple[Node] = (template,)
        self.spec: Any = template.spec
        self._given = given

    def cardinality(self) -> int:
        """As many as its template has."""
        return self.inputs[0].cardinality()

    def open(self, run: Run) -> Iterator[Element]:
        """Go through it."""
        return self.inputs[0].open(run.inside(0, self._given))
