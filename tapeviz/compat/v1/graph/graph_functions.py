"""Public functions as this namespace offers them: each call adds to the default graph, and its node gets the name."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from tapeviz.compat.v1.graph.call_journal import renamed
from tapeviz.compat.v1.graph.default_graph import graph_of
from tapeviz.compat.v1.graph.graph import Graph, entered
from tapeviz.engine.state import local
from tapeviz.engine.symbolic import SymbolicTensor
from tapeviz.engine.tensor import EagerTensor

__all__ = ["Entering", "building", "in_graph"]

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")


def in_graph(function: Callable[_Parameters, _Result], label: str | None = None) -> Callable[_Parameters, _Result]:
    """The function as one that builds: in the graph of its arguments, else in the default graph.

    Where eager execution is on, and while a function is traced, it is the function itself. ``label`` is the name scope
    of what it makes where that is several nodes; the function's name by default.
    """
    place = _place_of_name(function)
    own_name = label or function.__name__.strip("_")

    @functools.wraps(function)
    def called(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> _Result:
        __tracebackhide__ = True
        graph = building(args)
        if graph is None:
            return function(*args, **kwargs)
        name: Any = kwargs.get("name") or (args[place] if place is not None and len(args) > place else None)
        with entered(graph):
            built: _Result = _built(graph, functools.partial(function, *args, **kwargs), name, own_name)
            return built

    return called


def building(values: Any) -> Graph | None:
    """The graph of sessions that a call with these arguments adds to; None in a traced function, and eagerly."""
    inside = local.state.graph
    return graph_of(values) if inside is None else inside if isinstance(inside, Graph) else None


def _place_of_name(function: Callable[..., Any]) -> int | None:
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return None
    names = [name for name, one in parameters.items() if one.kind is not inspect.Parameter.VAR_POSITIONAL]
    return names.index("name") if "name" in names and len(names) == len(parameters) else None


def _built(graph: Graph, call: Callable[[], Any], name: str | None, own_name: str) -> Any:
    """What the call gives, as tensors and operations of the graph, named."""
    __tracebackhide__ = True
    if name is not None:
        graph._scoped(name)
    journal = graph.journal
    first, start = len(graph.nodes), journal.length if journal.depth else 0
    journal.depth += 1
    try:
        result = _of_graph(graph, call())
        if result is None and len(graph.nodes) > first:
            result = graph.nodes[-1]  # a function that gives nothing: printing, asserting
        elif result is None and own_name.lower().startswith("assert"):  # what is known to hold
            result = graph.nothing((), name or own_name)
        several = journal.length - start > 1
        if len(graph.nodes) > first and (name or several):
            renamed(graph, first, start, _node_of(graph, first, result), name or own_name)
    finally:
        journal.depth -= 1
        journal.cleared()
    return result


def _of_graph(graph: Graph, result: Any) -> Any:
    """A result with constants of the graph in the place of eager tensors."""
    if isinstance(result, EagerTensor):
        return graph.own(result)
    if isinstance(result, (list, tuple)) and any(isinstance(part, EagerTensor) for part in result):
        parts = [_of_graph(graph, part) for part in result]
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    return result


def _node_of(graph: Graph, first: int, result: Any) -> Any:
    """The node that a call made for its result; the last one where the result is not of the call's own making."""
    leaf = result[0] if isinstance(result, (list, tuple)) and result else result
    node = leaf._node if isinstance(leaf, SymbolicTensor) else leaf
    if any(node is made for made in graph.nodes[first:]):
        return node
    return graph.nodes[-1]


class Entering:
    """Something that can be called, whose calls add to the default graph: a function made by a decorator."""

    def __init__(self, made: Any) -> None:
        self._made = made
        functools.update_wrapper(self, made, updated=())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it, in the default graph."""
        __tracebackhide__ = True
        graph = building(args)
        if graph is None:
            return self._made(*args, **kwargs)
        with entered(graph):
            before = len(graph.nodes)
            result = _of_graph(graph, self._made(*args, **kwargs))
            # A function that gives nothing is an operation, to be run for what it does.
            return graph.nodes[-1] if result is None and len(graph.nodes) > before else result

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        bound = self._made.__get__(instance, owner)
        return Entering(bound)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._made, name)
