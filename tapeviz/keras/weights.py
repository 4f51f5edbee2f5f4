"""Variables of layers: where they are made, what they are called, and what holds for their values."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from tapeviz.engine.state import ThreadState, local
from tapeviz.engine.variable import Variable

__all__ = [
    "made_outside_of_traces",
    "new_variable",
    "program_scope",
    "shapes_table",
]


class _Traced(threading.local):
    """The graph that is being traced in this thread, outside of which variables are made; None where there is none."""

    def __init__(self) -> None:
        self.graph: Any = None


_traced: Final = _Traced()


@contextmanager
def made_outside_of_traces(scope: str | None) -> Iterator[ThreadState]:
    """A block for making variables: no trace and no tape sees it; in a graph of sessions it adds to that graph.

    The names of what is made begin with ``scope``; None leaves them as they are.
    """
    before, around = local.state, _traced.graph
    state = _outside(before)
    if before is not state:
        _traced.graph = before.graph
    tapes, name = state.tapes, state.scope
    here = getattr(state.graph, "here", None)
    local.state = state
    if state.graph is None:
        state.tapes = ()
    state.scope = name if scope is None else scope
    if here is not None:
        here.scope = state.scope
    try:
        yield state
    finally:
        state.tapes, state.scope = tapes, name
        if here is not None:
            here.scope = name
        local.state, _traced.graph = before, around


def _outside(state: ThreadState) -> ThreadState:
    """The state around every trace: that in which ops run at once, or become nodes for a session."""
    while state.outer is not None and not hasattr(state.graph, "new_variable"):
        state = state.outer
    return state


def program_scope() -> str:
    """The name scope of the program, outside of every trace."""
    return _outside(local.state).scope


def new_variable(initial: Callable[[], Any], name: str, dtype: Any, *, trainable: bool, told: bool = False) -> Any:
    """A variable that begins with what ``initial`` gives; one of the graph where a graph of sessions is built.

    ``told``: whether a function that is traced is to know of it, and to refuse it where each trace would make another.
    """
    graph = local.state.graph
    if hasattr(graph, "new_variable"):
        return graph.new_variable(initial, name=name, dtype=dtype, trainable=trainable)  # type: ignore[union-attr]
    made = Variable(initial, trainable=trainable, name=name, dtype=dtype)
    if told and _traced.graph is not None:
        _traced.graph.made(made)
    return made


def shapes_table(title: str, rows: list[tuple[str, str, str]]) -> str:
    """A message with a table of names, expected shapes and found shapes; rows that differ are marked."""
    header = ("weight", "expected", "found")
    widths = [max(len(row[column]) for row in [header, *rows]) for column in range(3)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(header, widths, strict=True)).rstrip()]
    for row in rows:
        text = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        lines.append(f"{text}  <-" if row[1] != row[2] else text)
    return "\n  ".join([title, *lines])
