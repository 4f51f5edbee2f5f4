"""A block of code run as one graph: names it assigns come back as values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from tapeviz.autograph.conversion import convert
from tapeviz.engine import nest
from tapeviz.engine.scopes import span
from tapeviz.engine.symbolic import SymbolicTensor
from tapeviz.functions.concrete import ConcreteFunction, traced
from tapeviz.functions.signature import signature_of
from tapeviz.functions.traces import Trace

__all__ = ["TracedBlock", "trace_block"]


@dataclass(frozen=True, slots=True)
class TracedBlock:
    """A block of code as a graph, and what it assigned, with symbolic tensors in the place of values."""

    concrete: ConcreteFunction
    assigned: Mapping[str, Any]
    symbolic: list[SymbolicTensor]

    def run(self) -> dict[str, Any]:
        """What the block assigned, with values."""
        __tracebackhide__ = True
        found = self.concrete.run([])
        values = {id(tensor): value for tensor, value in zip(self.symbolic, found, strict=True)}

        def value(leaf: Any) -> Any:
            return values[id(leaf)] if leaf.__class__ is SymbolicTensor else leaf

        return {name: _mapped(value, part) for name, part in self.assigned.items()}


def trace_block(block: Callable[[], Mapping[str, Any]], name: str) -> TracedBlock:
    """Trace ``block``, a function without arguments that gives the names it assigns.

    Raises:
        OperatorNotAllowedInGraphError: it needs the value of a tensor in Python.
        NotImplementedError: it hands a tensor to NumPy.
    """
    __tracebackhide__ = True
    converted, conversion = convert(block)
    assigned: dict[str, Any] = {}
    symbolic: list[SymbolicTensor] = []

    def traceable() -> list[Any]:
        __tracebackhide__ = True
        assigned.update(converted())
        for part in assigned.values():
            symbolic.extend(leaf for leaf in _leaves(part) if leaf.__class__ is SymbolicTensor)
        return list(symbolic)

    signature = signature_of([])
    trace = Trace(1, signature, why="the cell runs as a graph", converting=conversion.seconds)
    trace.conversion = None if conversion.reason else conversion
    trace.definition, trace.python = block.__code__, block
    t0 = trace.began = perf_counter()
    with span("trace", f"tracing {name}"):
        concrete = traced(
            traceable, name, [], signature, lambda _names, _values: ((), {}), creating=_allowed, kind="cell"
        )
    trace.seconds = perf_counter() - t0
    trace.graph, concrete.graph.trace = concrete.graph, trace
    return TracedBlock(concrete, assigned, symbolic)


def _allowed(_variable: Any) -> None:
    """Variables may be made: the code runs once."""


def _leaves(value: Any) -> list[Any]:
    return nest.flatten(value) if isinstance(value, (list, tuple, dict)) else [value]


def _mapped(function: Callable[[Any], Any], value: Any) -> Any:
    if not any(leaf.__class__ is SymbolicTensor for leaf in _leaves(value)):
        return value  # the same object: a list stays the list that others hold
    return nest.map_structure(function, value)
