"""The steps of a pipeline. A dataset is its last step; each knows the steps before it and how to go through them.

A step says what its elements are (``spec``) and how many there are (``cardinality``), and :meth:`Node.open` goes
through them once, as flat tuples of components. What a pass through the whole pipeline has in common is its
:class:`Run`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.symbolic import SymbolicTensor, at_line
from tapeviz.engine.userline import CallSite

__all__ = ["INFINITE", "UNKNOWN", "Draws", "Element", "Node", "Run", "all_static", "static_int", "symbols_of", "to_int"]

INFINITE: Final = -1
UNKNOWN: Final = -2

Element = tuple[Any, ...]


class Draws:
    """The seeds that were drawn in a pass, by the place of the step: a pass can be made again from them.

    Args:
        again: what was drawn in the pass that this one repeats.
    """

    def __init__(self, again: dict[str, Any] | None = None) -> None:
        self.drawn: dict[str, tuple[int, list[int]]] = {}
        self._again = {path: (base, list(passes)) for path, (base, passes) in (again or {}).items()}
        self._lock = threading.Lock()

    def take(self, path: str, order: Any) -> int:
        """The next seed of the step at this place, from ``order``, which goes on where it was in the earlier pass."""
        with self._lock:
            base, passes = self._again.get(path, (0, []))
            if passes:
                order.go_to(base, passes.pop(0))
            base, number, seed = order.draw()
            if path not in self.drawn or self.drawn[path][0] != base:
                self.drawn[path] = (base, [])
            self.drawn[path][1].append(number)
            return int(seed)


class Run:
    """One pass through a pipeline.

    Args:
        given: the values of tensors that were not known when the pipeline was made, by the tensors' identity.
        draws: the seeds.
        path: which step this is for: the way to it from the last one.
    """

    __slots__ = ("draws", "given", "path")

    def __init__(self, given: dict[int, Any] | None = None, draws: Draws | None = None, path: str = "") -> None:
        self.given: dict[int, Any] = given or {}
        self.draws: Draws = draws or Draws()
        self.path: str = path

    def input(self, place: int = 0) -> Run:
        """The same pass for the step's input."""
        return Run(self.given, self.draws, f"{self.path}/{place}")

    def inside(self, place: int, given: dict[int, Any]) -> Run:
        """The same pass for a dataset that a function has given, for which more values are known."""
        return Run(self.given | given, self.draws, f"{self.path}/{place}")

    def value(self, thing: Any) -> Any:
        """What a parameter is in this pass: its value where it is a tensor of a graph."""
        return self.given[id(thing)] if isinstance(thing, SymbolicTensor) else thing

    def number(self, thing: Any) -> int:
        """The same as a whole number."""
        return int(self.value(thing))

    def seed(self, order: Any) -> int:
        """The next seed of this step."""
        return self.draws.take(self.path, order)


class Node:
    """One step of a pipeline.

    ``symbols`` are the tensors of a graph that the step needs in each pass. Where ``by_rows``, elements are rows that
    can be picked by number (:mod:`tapeviz.data.rows`); where ``plain`` too, they come in their own order.
    Where it is ``quick``, an element is made in less time than another thread takes to say that it is ready.
    """

    name = ""
    inputs: tuple[Node, ...] = ()
    symbols: tuple[Any, ...] = ()
    spec: Any = None
    by_rows = False
    plain = False
    quick = False
    made_at: CallSite | None = None
    """The user's line that made it."""

    def cardinality(self) -> int:
        """How many elements there are; :data:`INFINITE`, or :data:`UNKNOWN`."""
        return UNKNOWN

    def open(self, run: Run) -> Iterator[Element]:
        """Go through the elements."""
        picker, blocks = self.open_rows(run)
        one = picker.one
        for block in blocks:
            for index in block.tolist() if block.__class__ is np.ndarray else block:
                yield one(index)

    def open_rows(self, run: Run) -> tuple[Any, Iterator[Any]]:
        """What picks rows, and their numbers in blocks, which are ranges or arrays."""
        raise NotImplementedError(
            f"{type(self).__name__} must implement `open(self, run)`, which iterates over its elements, or "
            "`open_rows(self, run)` where elements are rows that can be picked by index."
        )


def symbols_of(node: Node) -> list[Any]:
    """The tensors of a graph that a pipeline needs."""
    found: dict[int, Any] = {}
    waiting = [node]
    while waiting:
        step = waiting.pop()
        found.update({id(symbol): symbol for symbol in step.symbols})
        waiting.extend(step.inputs)
    return list(found.values())


def to_int(value: Any, name: str) -> Any:
    """A parameter that is a whole number, or a tensor of a graph that will be one.

    Raises:
        TypeError: it is neither.
    """
    if isinstance(value, SymbolicTensor):
        known = value._static_value
        return value if known is None or known.dtype == object else int(known)
    try:
        return int(value.__index__())
    except (AttributeError, TypeError):
        pass
    try:
        return int(convert_to_tensor(value, dtype="int64")._host())
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must be a whole number, got {value!r}: {error}") from None


def static_int(value: Any, name: str) -> int:
    """A parameter that has to be known when the pipeline is made.

    Raises:
        TypeError: it is not a whole number, or a tensor of a graph.
    """
    found = to_int(value, name)
    if isinstance(found, SymbolicTensor):
        raise TypeError(f"{name} must be known when the dataset is made, and {found} is only known at a run{at_line()}")
    return int(found)


def all_static(values: Sequence[Any]) -> bool:
    """Whether none of the parameters is a tensor of a graph."""
    return not any(isinstance(value, SymbolicTensor) for value in values)
