"""Building a graph: while it lasts, ops become nodes instead of being run."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from tapeviz.engine.state import ThreadState, active, local, outermost

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tapeviz.graphs.ir.graph import Graph

__all__ = ["building", "init_scope", "tracing"]


@contextmanager
def tracing(graph: Graph) -> Iterator[Graph]:
    """Make nodes of ``graph`` inside the block. Tapes and observers from outside see none of it."""
    before = local.state
    state = ThreadState()
    state.graph, state.outer, state.away = graph, before, True
    state.backend, state.placed = before.backend, before.placed
    state.tapes = (graph.history,)
    state.observer = graph.backward_trace  # type: ignore[assignment]  # what it does not note is nothing to it
    local.state = state
    active.append(graph)
    try:
        yield graph
    finally:
        active.remove(graph)
        local.state = before


@contextmanager
def init_scope() -> Iterator[None]:
    """A block in which ops run at once, also while a function is traced, and no tape follows them.

    >>> import tapeviz as tf
    >>> @tf.function
    ... def f():
    ...     with tf.init_scope():
    ...         print(tf.constant(1) + 1)
    ...     return tf.constant(0)
    >>> _ = f()
    tf.Tensor(2, shape=(), dtype=int32)
    """
    before = local.state
    local.state = state = outermost(before)
    tapes, state.tapes = state.tapes, ()
    try:
        yield
    finally:
        state.tapes = tapes
        local.state = before


def building() -> Graph | None:
    """The graph that is being built in this thread, None when ops run at once."""
    return local.state.graph  # type: ignore[return-value]
