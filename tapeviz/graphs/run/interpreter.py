"""A run of a program node by node, without a plan: the first one, and those for which no function can be written.

Planning, writing and compiling takes longer than a hundred runs. A function that is called once for each of its traces,
a variable's first value, a session's initializer are never worth it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from tapeviz.engine.deferred import Deferred, replaced
from tapeviz.engine.tensor import wrap
from tapeviz.graphs.ir.liveness import taken
from tapeviz.graphs.ir.special_nodes import ASSIGN, CAPTURE, CONSTANT, INPUT, READ, array_for, array_on, run_on
from tapeviz.graphs.passes.constant_folding import HostKernel, kernel_for
from tapeviz.graphs.run.failures import explained_at

if TYPE_CHECKING:
    from tapeviz.backends import Backend
    from tapeviz.engine.symbolic import SymbolicTensor
    from tapeviz.graphs.ir.graph import Graph, Node

__all__ = ["Runnable", "run_once"]


class Runnable(Protocol):
    """What an executable says of what it runs: nodes of a graph, on a device."""

    graph: Graph
    backend: Backend
    inputs: list[SymbolicTensor]
    outputs: list[SymbolicTensor | None]
    nodes: list[Node]


def run_once(program: Runnable, arrays: Sequence[Any]) -> tuple[Any, ...]:
    """The outputs of a program for these arrays; warnings are off already.

    Raises:
        OpError: a node failed; the message names the user's line.
    """
    __tracebackhide__ = True
    run = _Run(program.backend)
    values = run.values
    values.update({id(tensor): array for tensor, array in zip(program.inputs, arrays, strict=True)})
    ending = _ending(program)
    for place, node in enumerate(program.nodes):
        try:
            run.step(node)
        except Exception as error:  # noqa: BLE001 - whatever a kernel raises is explained
            raise explained_at(error, node) from None
        for key in ending.get(place, ()):
            values.pop(key, None)
    return tuple(None if tensor is None else values[id(tensor)] for tensor in program.outputs)


def _ending(program: Runnable) -> dict[int, list[int]]:
    """For each node, by its place, the values that nothing after it needs."""
    last: dict[int, int] = {}
    for place, node in enumerate(program.nodes):
        last.update((id(value), place) for value in (taken(node) if node.attrs else node.inputs))
        last.update((id(value), place) for value in node.outputs)
    for value in program.outputs:
        last.pop(id(value), None)
    found: dict[int, list[int]] = {}
    for key, place in last.items():
        found.setdefault(place, []).append(key)
    return found


class _Run:
    """The arrays so far, by the identity of the symbolic tensors that they are the values of."""

    def __init__(self, backend: Backend) -> None:
        self.values: dict[int, Any] = {}
        self._backend = backend

    def step(self, node: Node) -> None:
        """Run one node."""
        op, values = node.op, self.values
        if op is INPUT:
            if id(node.outputs[0]) not in values:
                raise ValueError(f"nothing was given for {node.name}")
        elif op is CONSTANT or op is CAPTURE:
            values[id(node.outputs[0])] = array_on(self._backend, node.attrs["tensor"])
        elif op is READ:
            values[id(node.outputs[0])] = array_on(self._backend, node.attrs["variable"]._value)
        elif op is ASSIGN:
            variable = node.attrs["variable"]
            variable._bind(wrap(array_for(variable, values[id(node.inputs[0])])), "assigned")
        else:
            found = self._results(node, [values[id(tensor)] for tensor in node.inputs])
            values.update({id(tensor): array for tensor, array in zip(node.outputs, found, strict=False)})

    def _results(self, node: Node, arrays: list[Any]) -> Sequence[Any]:
        if "run" in node.attrs:
            return run_on(node, range(len(node.outputs)), self._backend)(tuple(arrays))  # type: ignore[no-any-return]
        kernel = kernel_for(node, self._backend)
        found = kernel(*arrays, **replaced(node.attrs, self._number)) if node.attrs else kernel(*arrays)
        if kernel.__class__ is HostKernel:
            return found if node.op.many else (found,)
        as_array = self._backend.as_array
        return [as_array(part) for part in found] if node.op.many else (as_array(found),)

    def _number(self, number: Deferred) -> int:
        return number.evaluated(self._leaf)

    def _leaf(self, leaf: Deferred) -> int:
        sort, *rest = leaf.source
        if sort == "axis":
            return int(self.values[id(rest[0])].shape[rest[1]])
        return int(self.values[id(rest[0])]) if sort == "value" else int(rest[0]())
