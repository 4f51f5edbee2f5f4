"""Steps that make elements by a user's function: ``map``, ``flat_map``, ``interleave``, ``scan``."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from tapeviz.data.nodes import INFINITE, UNKNOWN, Element, Node, Run
from tapeviz.data.prefetch import ahead
from tapeviz.data.selection import broader_spec
from tapeviz.data.structures import check_same, normalized, spec_of
from tapeviz.data.user_functions import UserFunction, as_arguments, is_dataset
from tapeviz.data.workers import Workers
from tapeviz.engine import nest
from tapeviz.engine.errors import InvalidArgumentError

__all__ = ["InterleaveNode", "MapNode", "ScanNode", "reduced"]


class MapNode(Node):
    """What a function gives for each element; by so many threads where ``parallel`` is not 0, in order all the same."""

    def __init__(self, source: Node, function: Any, parallel: int, dataset: Callable[[Node], Any]) -> None:
        __tracebackhide__ = True
        self.name = "ParallelMap" if parallel else "Map"
        self.inputs: tuple[Node] = (source,)
        self._function = UserFunction(function, as_arguments(source.spec), "map", dataset)
        self.spec: Any = self._function.spec
        self.symbols: tuple[Any, ...] = self._function.symbols
        self._parallel = parallel

    def cardinality(self) -> int:
        """As many as come in."""
        return self.inputs[0].cardinality()

    def open(self, run: Run) -> Iterator[Element]:
        """Give them."""
        elements = self.inputs[0].open(run.input())
        if self._parallel:
            return self._in_threads(elements, run)
        function = self._function
        return (function(element, run) for element in elements)

    def _in_threads(self, elements: Iterator[Element], run: Run) -> Iterator[Element]:
        workers = Workers(self._parallel)
        waiting: deque[Any] = deque()
        try:
            for element in elements:
                waiting.append(workers.begin(partial(self._function, element, run)))
                if len(waiting) > self._parallel:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            workers.close()


class InterleaveNode(Node):
    """The elements of the datasets that a function gives, some of them at a time: so many elements of each in turn.

    Raises:
        TypeError: the function gives no dataset.
        InvalidArgumentError: a length is not positive.
    """

    def __init__(
        self, source: Node, function: Any, cycle: int, block: int, parallel: int, dataset: Callable[[Node], Any],
        method: str,
    ) -> None:  # fmt: skip
        __tracebackhide__ = True
        self.name: str = {"flat_map": "FlatMap"}.get(method, "Interleave")
        self.inputs: tuple[Node] = (source,)
        self._function = UserFunction(function, as_arguments(source.spec), method, dataset)
        self.symbols: tuple[Any, ...] = self._function.symbols
        if not is_dataset(self._function.spec):
            raise TypeError(
                f"`map_func` must return a `Dataset` object. Got {self._function.spec} from the function given to "
                f"Dataset.{method}()."
            )
        for what, length in (("cycle_length", cycle), ("block_length", block)):
            if length < 1:
                raise InvalidArgumentError(f"`{what}` must be > 0, got {length}", "InterleaveDataset")
        self.spec: Any = self._function.spec.element_spec
        self._cycle, self._block, self._parallel = cycle, block, parallel

    def cardinality(self) -> int:
        """Not known."""
        return UNKNOWN

    def open(self, run: Run) -> Iterator[Element]:
        """Give them."""
        workers = Workers(self._parallel) if self._parallel else None
        try:
            yield from self._in_turns(self._datasets(run, workers))
        finally:
            if workers is not None:
                workers.close()

    def _in_turns(self, sources: Iterator[Iterator[Element]]) -> Iterator[Element]:
        turns = deque(itertools.islice(sources, self._cycle))
        while turns:
            current, over = turns.popleft(), False
            for _ in range(self._block):
                element = next(current, None)
                if element is None:
                    over = True
                    break
                yield element
            if not over:
                turns.append(current)
            elif (another := next(sources, None)) is not None:
                turns.append(another)

    def _datasets(self, run: Run, workers: Workers | None) -> Iterator[Iterator[Element]]:
        for element in self.inputs[0].open(run.input()):
            (found,) = self._function(element, run)
            opened = found._step.open(run.input(1))
            yield opened if workers is None else ahead(opened, self._block, workers)


class ScanNode(Node):
    """What a function gives for a state and each element, beside the next state."""

    name = "Scan"

    def __init__(self, source: Node, initial: Any, function: Any, dataset: Callable[[Node], Any]) -> None:
        __tracebackhide__ = True
        self.inputs: tuple[Node] = (source,)
        self._fold = _Fold(source, initial, function, "scan", dataset)
        given = self._fold.function.spec
        if type(given) is not tuple or len(given) != 2:  # noqa: PLR2004
            raise TypeError(
                "Invalid `scan_func`. `scan_func` should return a pair consisting of new state and the output value "
                f"but its return type is {given}."
            )
        self._fold.check(given[0])
        self.spec = given[1]
        self.symbols: tuple[Any, ...] = self._fold.symbols

    def cardinality(self) -> int:
        """As many as come in."""
        return self.inputs[0].cardinality()

    def open(self, run: Run) -> Iterator[Element]:
        """Give them."""
        state = self._fold.begin(run)
        for element in self.inputs[0].open(run.input()):
            found = self._fold.function((*state, *element), run)
            state = found[: len(state)]
            yield found[len(state) :]


class _Fold:
    """A function of a state and an element; the state's shape becomes open where it changes."""

    def __init__(self, source: Node, initial: Any, function: Any, method: str, dataset: Callable[[Node], Any]) -> None:
        __tracebackhide__ = True
        structure = normalized(tuple(initial) if isinstance(initial, list) else initial)
        self.parts = nest.flatten(structure)
        self.spec = nest.pack(structure, [spec_of(part) for part in self.parts])
        self._method = method
        self._given = (function, source.spec, method, dataset)
        self.function = self._traced()

    def _traced(self) -> UserFunction:
        function, spec, method, dataset = self._given
        return UserFunction(function, (self.spec, spec), method, dataset)

    def check(self, given: Any) -> None:
        """Raise TypeError unless the next state is like the first; open what has another size."""
        check_same(self.spec, given, f"The element types for the new state must match the initial state in "
                                     f"Dataset.{self._method}()")  # fmt: skip
        leaves = zip(nest.flatten(self.spec), nest.flatten(given), strict=True)
        opened = nest.pack(self.spec, [broader_spec(a, b) for a, b in leaves])
        if opened != self.spec:
            self.spec = opened
            self.function = self._traced()

    @property
    def symbols(self) -> tuple[Any, ...]:
        """The tensors of a graph that it needs."""
        return (*self.function.symbols, *(part for part in self.parts if hasattr(part, "graph")))

    def begin(self, run: Run) -> Element:
        """The first state."""
        return tuple([run.value(part) for part in self.parts])


def reduced(source: Node, initial: Any, function: Any, dataset: Callable[[Node], Any], run: Run) -> tuple[Any, Element]:
    """The last state, and its spec, of a function that gives the next state for a state and an element.

    Raises:
        InvalidArgumentError: the dataset has no end, or the states have other numbers of components.
        TypeError: their dtypes differ.
    """
    __tracebackhide__ = True
    fold = _Fold(source, initial, function, "reduce", dataset)
    given = fold.function.spec
    first, after = len(nest.flatten(fold.spec)), len(nest.flatten(given))
    if first != after:
        raise InvalidArgumentError(
            "The number of components of the initial state and the reduce function output does not match. "
            f"(initial_state={first}, output={after}).", "ReduceDataset",
        )  # fmt: skip
    fold.check(given)
    if source.cardinality() == INFINITE:
        raise InvalidArgumentError("reduce iterates over the whole dataset, and this one is infinite", "ReduceDataset")
    state = fold.begin(run)
    for element in source.open(run):
        state = fold.function((*state, *element), run)
    return fold.spec, state
