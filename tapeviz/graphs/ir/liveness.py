"""Which nodes a run needs, and when each tensor is needed last."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tapeviz.engine.deferred_numbers import deferred_in
from tapeviz.graphs.ir.special_nodes import PYTHON, READ

if TYPE_CHECKING:
    from tapeviz.engine.symbolic import SymbolicTensor
    from tapeviz.graphs.ir.graph import Graph, Node

__all__ = ["needed", "runs_python", "sizes_of", "taken", "variables_read"]


def sizes_of(node: Node) -> Iterator[SymbolicTensor]:
    """The tensors whose shape or value the attributes of a node wait for."""
    for number in deferred_in(node.attrs):
        for leaf in number.leaves():
            if leaf.source[0] in ("axis", "value"):
                yield leaf.source[1]


def taken(node: Node) -> Iterator[SymbolicTensor]:
    """All tensors that a node needs: its inputs, and those that its attributes wait for."""
    yield from node.inputs
    yield from sizes_of(node)


def needed(graph: Graph, outputs: Iterable[Any], *, effects: bool, more: Iterable[Node] = ()) -> list[Node]:
    """The nodes to run for these outputs, in order; with ``effects`` also all those that do more than compute."""
    wanted: set[int] = set()
    waiting: list[Node] = [tensor._node for tensor in outputs if tensor is not None and tensor.graph is graph]
    waiting += more
    if effects:
        waiting += [node for node in graph.nodes if (node.regions or node.op.effects) and node.effects == "write"]
    while waiting:
        node = waiting.pop()
        if node.number in wanted:
            continue
        wanted.add(node.number)
        waiting += [tensor._node for tensor in (taken(node) if node.attrs else node.inputs)]
        waiting += node.control
    return [node for node in graph.nodes if node.number in wanted]


def runs_python(nodes: Sequence[Node]) -> bool:
    """Whether a Python function is called by one of the nodes, or by a node of a graph inside them."""
    return any(node.op is PYTHON or any(runs_python(region.nodes) for region in node.regions) for node in nodes)


def variables_read(nodes: Sequence[Node]) -> list[Any]:
    """The variables that nodes read, or graphs inside them; each once, in the order of the nodes."""
    found: dict[int, Any] = {}
    for node in nodes:
        inner = [node.attrs["variable"]] if node.op is READ else []
        for region in node.regions:
            inner += variables_read(region.nodes)
        found |= {id(variable): variable for variable in inner}
    return list(found.values())
