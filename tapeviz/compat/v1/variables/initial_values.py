"""Initial values that are computed from other variables, which the same run may only be about to initialize."""

from __future__ import annotations

from typing import Any

from tapeviz.compat.v1.variables.variable_nodes import VARIABLE
from tapeviz.engine.declaration import Op
from tapeviz.engine.symbolic import SymbolicTensor
from tapeviz.graphs.ir.graph import Graph, Node

__all__ = ["guarded"]


def guarded(graph: Graph, tensor: SymbolicTensor) -> SymbolicTensor:
    """The tensor, computed from initialized values of variables in the place of their values."""
    return _Guard(graph).of(tensor)  # type: ignore[no-any-return]


class _Guard:
    """Makes nodes again that depend on variables."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._made: dict[int, Any] = {}

    def of(self, tensor: SymbolicTensor) -> Any:
        """What stands for a tensor: itself where no variable is behind it."""
        outputs = self._node(tensor._node)
        return outputs[tensor._slot]

    def _node(self, node: Node) -> Any:
        if node.number not in self._made:
            self._made[node.number] = self._again(node)
        return self._made[node.number]

    def _again(self, node: Node) -> Any:
        if node.op is VARIABLE:
            return (node.attrs["run"].variable.initialized_value(),)
        inputs = [self.of(tensor) for tensor in node.inputs]
        same = all(ours is theirs for ours, theirs in zip(inputs, node.inputs, strict=True))
        if same or not isinstance(node.op, Op):
            return node.outputs
        made = self._graph.add(node.op, inputs, node.attrs)
        return made if node.op.many else (made,)
