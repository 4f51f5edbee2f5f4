"""Iterators in a graph: a node that begins a pass, and nodes that take elements from it when the graph runs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from tapeviz.data.handles import behind
from tapeviz.data.nodes import Node, Run, symbols_of
from tapeviz.data.sources import Given
from tapeviz.data.structures import packer
from tapeviz.engine import nest
from tapeviz.engine.errors import OutOfRangeError
from tapeviz.engine.scopes import TensorSpec
from tapeviz.engine.state import local
from tapeviz.engine.symbolic import at_line
from tapeviz.engine.tensor import wrap

__all__ = ["GraphIterator", "begun", "bound", "form_of", "opened"]

_HANDLE: Final = ((), np.dtype(np.int64))
_MOST: Final = 10_000


def form_of(spec: TensorSpec) -> Any:
    """Shape and dtype for a node's output."""
    return spec.shape.dims, spec.dtype.numpy


def bound(node: Node, symbols: Sequence[Any], values: Sequence[Any]) -> Run:
    """A pass for which the tensors have these values."""
    handles = {id(step.symbol) for step in _givens(node)}
    given = {}
    for symbol, value in zip(symbols, values, strict=True):
        array = value._host()
        given[id(symbol)] = behind(array) if id(symbol) in handles else array
    return Run(given)


def _givens(node: Node) -> list[Given]:
    found = [node] if isinstance(node, Given) else []
    return [*found, *(given for step in node.inputs for given in _givens(step))]


class _Beginning:
    """Begins a pass at each run, in each thread one at a time, and keeps it alive."""

    def __init__(self, node: Node, symbols: Sequence[Any], begin: Callable[[Run], Any], number: Any) -> None:
        self._step, self._symbols = node, list(symbols)
        self._begin, self._number = begin, number
        self._going: dict[int, Any] = {}

    def __call__(self, *values: Any) -> list[Any]:
        """The number of the iterator."""
        alive = {thread.ident for thread in threading.enumerate()}
        for thread in [thread for thread in self._going if thread not in alive]:
            self._going.pop(thread, None)
        iterator = self._begin(bound(self._step, self._symbols, values))
        self._going[threading.get_ident()] = iterator
        return [wrap(self._number(iterator))]


def opened(node: Node, begin: Callable[[Run], Any], number: Any) -> Any:
    """A tensor for a new iterator at each run of the graph that is being built."""
    graph: Any = local.state.graph
    symbols = symbols_of(node)
    run = _Beginning(node, symbols, begin, number)
    return graph.python(run, symbols, [_HANDLE], "OneShotIterator")[0]


def begun(handle: Any) -> Any:
    """The iterator behind a number."""
    return behind(handle._host())


class GraphIterator:
    """An iterator in a graph that is being built: what it gives is computed when the graph runs.

    Args:
        handle: the tensor that says which iterator.
        spec: of the elements.
    """

    def __init__(self, handle: Any, spec: Any) -> None:
        self._handle = handle
        self._spec = spec
        self._leaves = nest.flatten(spec)
        self._asked = 0
        for leaf in self._leaves:
            if not isinstance(leaf, TensorSpec):
                raise TypeError(f"the elements of a dataset in a graph are tensors, not {spec}{at_line()}")

    @property
    def element_spec(self) -> Any:
        """The spec of the elements."""
        return self._spec

    def __iter__(self) -> GraphIterator:
        return self

    def __next__(self) -> Any:
        self._asked += 1
        if self._asked > _MOST:
            raise TypeError(
                "a loop of Python's goes over a dataset while a function is traced, which would never end: let "
                f"AutoGraph convert the function, or use Dataset.reduce{at_line()}"
            )
        return self.get_next()

    def get_next(self) -> Any:
        """The next element. Raises OutOfRangeError, when the graph runs, where there is none."""
        return self._element("IteratorGetNext", _next)

    # For loops of the graph: whether there is another element, which is fetched, and the one that was fetched.

    def advance(self) -> Any:
        """A truth value: whether there is another element."""
        graph: Any = local.state.graph
        return graph.python(_advance, [self._handle], [((), np.dtype(np.bool_))], "IteratorAdvance")[0]

    def item(self) -> Any:
        """The element that was found."""
        return self._element("IteratorElement", _current)

    def _element(self, name: str, run: Callable[[Any], list[Any]]) -> Any:
        graph: Any = local.state.graph
        made = graph.python(run, [self._handle], [form_of(leaf) for leaf in self._leaves], name)
        return packer(self._spec)(tuple(made))

    def _graph_steps(self) -> GraphIterator:
        return self

    # As an argument of a traced function.

    def _traced_as(self) -> Any:
        return ("iterator", repr(self._spec)), f"iterator of {self._spec}"

    def _argument(self) -> Any:
        return self._handle

    def _inside(self, symbol: Any) -> GraphIterator:
        return GraphIterator(symbol, self._spec)


def _next(handle: Any) -> list[Any]:
    parts = begun(handle).take()
    if parts is None:
        raise OutOfRangeError("End of sequence", "IteratorGetNext")
    return [wrap(part) for part in parts]


def _advance(handle: Any) -> list[Any]:
    return [wrap(np.array(begun(handle).advance()))]


def _current(handle: Any) -> list[Any]:
    return [wrap(part) for part in begun(handle).current]
