"""What is on, a thread at a time: the tapes that record and the observer that watches.

Ops ask one question first: is anything on anywhere? That is whether :data:`active` is empty. Only then do they look at
their own thread's state. Nothing else in the engine knows a mode.
"""

from __future__ import annotations

import itertools
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Protocol

from tapeviz.backends import NUMPY
from tapeviz.engine.observer import Observer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tapeviz.backends import Backend

__all__ = [
    "Graph", "Observer", "ThreadState", "active", "default", "executing_eagerly", "local", "next_id", "observing",
    "outermost", "placed_on",
]  # fmt: skip

active: Final[list[object]] = []
"""Everything that is on in any thread. A list because its truth is the cheapest thing there is to ask."""

next_id: Final = itertools.count(1).__next__
"""Numbers for tensors, given when a tape or an observer first meets them. A number is never used again."""

default: Final[list[Backend]] = [NUMPY]
"""The device on which threads begin."""


class Graph(Protocol):
    """What ops are given to while a graph is built, instead of being run."""

    hashes_tensors: bool
    """Whether its tensors are keys of dicts, as those of TensorFlow 1 are."""

    def add(self, op: Any, tensors: Sequence[Any], attrs: dict[str, Any]) -> Any:
        """A node that will run the op; its symbolic output, or a tuple of them."""

    def own(self, tensor: Any) -> Any:
        """The tensor of this graph that stands for one from outside."""

    def literal(self, tensor: Any) -> Any:
        """The constant of this graph for a number or list in the program."""

    def argument(self, tensor: Any) -> Any:
        """The same for one that is an input of the op being called."""

    def python(
        self, run: Any, tensors: Sequence[Any], forms: Sequence[Any] = (), name: str = "", *,
        differentiable: bool = False,
    ) -> Any:  # fmt: skip
        """A node that calls a Python function with eager tensors at each run; its outputs, of these forms."""

    def read(self, variable: Any) -> Any:
        """The value that the variable will have at this point of a run."""

    def assign(self, variable: Any, value: Any) -> None:
        """Replace the variable's value at this point of a run."""

    def scope_of(self, number: int) -> str:
        """The scopes, each with its slash, around the node that makes a tensor."""

    def after(self, nodes: Sequence[Any]) -> Any:
        """Have nodes made inside a ``with`` block run after these."""

    def nothing(self, nodes: Sequence[Any], name: str = "") -> Any:
        """A node that does nothing, after these."""

    def made(self, variable: Any) -> None:
        """A variable is being made. Raises ValueError where this must not be."""

    def initial(self, tensor: Any) -> Any:
        """The value of one of this graph's tensors now, for a variable that begins with it."""


class ThreadState:
    """One thread's tapes, observer, name scope and device.

    ``backend`` is where new tensors are made. ``placed`` says that the user asked for it, so that inputs from elsewhere
    are copied there; ``away``, that ops do not simply run on the host: this is another device, or a graph is built.
    ``graph`` is the graph that ops become nodes of, and ``outer`` the state in which building it began.
    """

    __slots__ = ("away", "backend", "graph", "observer", "outer", "placed", "scope", "tapes")

    def __init__(self) -> None:
        self.tapes: tuple[Any, ...] = ()
        self.observer: Observer | None = None
        self.scope: str = ""
        self.backend: Backend = default[0]
        self.placed: bool = False
        self.away: bool = False
        self.graph: Graph | None = None
        self.outer: ThreadState | None = None


class _Local(threading.local):
    def __init__(self) -> None:
        self.state: ThreadState = ThreadState()


local: Final = _Local()


def executing_eagerly() -> bool:
    """Whether ops run as soon as they are called: always, outside a traced function.

    >>> import tapeviz as tf
    >>> tf.executing_eagerly()
    True
    """
    return local.state.graph is None


def outermost(state: ThreadState) -> ThreadState:
    """The state in which the building of graphs began, which runs ops at once."""
    while state.outer is not None:
        state = state.outer
    return state


@contextmanager
def observing(observer: Observer) -> Iterator[None]:
    """Have the callbacks of ``observer`` called for what this thread does inside the block."""
    state = local.state
    before = state.observer
    state.observer = observer
    active.append(observer)
    try:
        yield
    finally:
        active.remove(observer)
        state.observer = before


@contextmanager
def placed_on(backend: Backend) -> Iterator[None]:
    """Make this thread's new tensors on ``backend`` inside the block."""
    state = local.state
    before = state.backend
    state.backend = backend
    try:
        yield
    finally:
        state.backend = before
