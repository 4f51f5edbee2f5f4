"""Which graph the ops of this namespace go to, a thread at a time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tapeviz.compat.v1.graph.graph import Graph, entered
from tapeviz.compat.v1.graph.v2_behavior import is_eager, meet_graph
from tapeviz.engine.operators import public
from tapeviz.engine.state import local, outermost

__all__ = [
    "at_once", "current_graph", "executing_eagerly", "get_default_graph", "graph_of", "pop", "push",
    "reset_default_graph",
]  # fmt: skip


class _Stack(threading.local):
    """The graphs whose ``as_default`` blocks this thread is in; None for a block in which ops run at once."""

    def __init__(self) -> None:
        self.graphs: list[Graph | None] = []


class _Process:
    """The graph of ops outside every block."""

    graph: Graph | None = None


_stack = _Stack()


def _outermost() -> Graph:
    if _Process.graph is None:
        _Process.graph = Graph(outermost=True)
    return _Process.graph


def current_graph() -> Graph | None:
    """The graph that ops go to; None when they run at once."""
    if _stack.graphs:
        return _stack.graphs[-1]
    return None if is_eager() else _outermost()


def get_default_graph() -> Graph:
    """The graph that ops go to; with eager execution and outside of every block, one that nothing goes to.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default() as graph:
    ...     tf.get_default_graph() is graph
    True
    """
    inner = local.state.graph
    if inner is not None:
        return inner  # type: ignore[return-value]
    graph = current_graph()
    if graph is None:
        return _eager_graph()
    if graph.outermost:
        meet_graph()
    return graph


def _eager_graph() -> Graph:
    if _Process.graph is None:
        _Process.graph = Graph()
    return _Process.graph


def reset_default_graph() -> None:
    """Begin anew with an empty default graph.

    Raises:
        AssertionError: inside a block of ``as_default``.
    """
    if any(graph is not None for graph in _stack.graphs):
        raise AssertionError(
            "Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared graph, exit the nesting "
            "and create a new graph."
        )
    _Process.graph = None


def executing_eagerly() -> bool:
    """Whether ops of this namespace run as soon as they are called.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     tf.executing_eagerly()
    False
    """
    return local.state.graph is None and (_stack.graphs[-1] is None if _stack.graphs else is_eager())


@contextmanager
def _as_default(graph: Graph) -> Iterator[Graph]:
    _stack.graphs.append(graph)
    try:
        with entered(graph):
            yield graph
    finally:
        if not _stack.graphs or _stack.graphs.pop() is not graph:
            raise AssertionError(f"Nesting violated for default stack of {type(graph)} objects")


public["graph_as_default"] = _as_default


@contextmanager
def at_once() -> Iterator[None]:
    """A block in which ops run at once, whatever the mode: for what variables of traced functions begin with."""
    before = local.state
    _stack.graphs.append(None)
    if isinstance(before.graph, Graph):
        local.state = outermost(before)
    try:
        yield
    finally:
        local.state = before
        _stack.graphs.pop()


def push(graph: Graph) -> None:
    """Make a graph the default one until :func:`pop`, for sessions that are no block."""
    _stack.graphs.append(graph)


def pop(graph: Graph) -> None:
    """Undo :func:`push`."""
    for place in reversed(range(len(_stack.graphs))):
        if _stack.graphs[place] is graph:
            del _stack.graphs[place]
            return


def graph_of(values: Any) -> Graph | None:
    """The graph to build in for these arguments: that of the first tensor of a graph among them, else the current."""
    for value in values:
        found = value[0] if isinstance(value, (list, tuple)) and value else value
        graph = getattr(found, "_built_in", None) or getattr(getattr(found, "_node", None), "graph", None)
        if isinstance(graph, Graph):
            return graph
    return current_graph()
