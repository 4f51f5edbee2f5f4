"""Graphs as plain data: nodes in order, each with its op, its inputs, its attributes and the graphs in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeviz.engine.declaration import registry
from tapeviz.engine.errors import UnimplementedError
from tapeviz.graphs.ir.graph import Graph, Node
from tapeviz.graphs.ir.liveness import needed
from tapeviz.graphs.ir.special_nodes import ASSIGN, CALL, CAPTURE, CONDITION, CONSTANT, INPUT, LOOP, NOTHING, READ
from tapeviz.graphs.run.failures import line_of
from tapeviz.saved_model.lists import LIST_NODES, described_list_node, form_of
from tapeviz.saved_model.plain import Plain, UnknownError

__all__ = ["GraphDef", "Values"]


class Values:
    """The arrays that graphs hold, and the variables that they read: each once, by number.

    Args:
        variables: the numbers of the variables, by those that the engine gives them.
    """

    def __init__(self, variables: dict[int, int]) -> None:
        self.arrays: list[np.ndarray] = []
        self._variables = variables
        self._known: dict[int, tuple[int, Any]] = {}

    def array(self, array: np.ndarray) -> int:
        """The number of an array."""
        if id(array) not in self._known:
            self._known[id(array)] = (len(self.arrays), array)
            self.arrays.append(array)
        return self._known[id(array)][0]

    def variable(self, variable: Any) -> int:
        """The number of a variable.

        Raises:
            AssertionError: the saved object does not have it.
        """
        if variable._number not in self._variables:
            raise AssertionError(
                f"Tried to export a function which references an 'untracked' resource: {variable.name}. Objects such "
                "as tf.Variable that functions use must be 'tracked': assign them to an attribute of the object that "
                "is saved, or of a module in it."
            )
        return self._variables[variable._number]


class GraphDef:
    """The plain form of a graph, as far as the outputs need it.

    Args:
        graph: the graph.
        outputs: what it is to give; None stands for None.
        values: where its arrays and variables are put.
        inputs: the tensors that it is given; the graph's own unless said otherwise.
        nodes: the nodes to describe; those that the outputs need, and those with effects, unless said otherwise.
    """

    plain_form = Plain
    """Makes the plain form of attributes."""

    def __init__(
        self,
        graph: Graph,
        outputs: Sequence[Any],
        values: Values,
        inputs: Sequence[Any] | None = None,
        nodes: Sequence[Node] | None = None,
    ) -> None:
        self._values = values
        self._places: dict[int, tuple[int, int]] = {}
        self._plain = self.plain_form(self._ref, values.array)
        self._found: list[dict[str, Any]] = []
        if nodes is None:
            nodes = needed(graph, outputs, effects=True, more=[tensor._node for tensor in graph.inputs])
        for tensor in inputs or ():
            self._put({"op": "input", "name": tensor._node.name, "inputs": []}, [tensor])
        for node in nodes:
            self._put(self._described(node), node.outputs)
        self.plain: dict[str, Any] = {
            "nodes": self._found,
            "inputs": [self._ref(tensor) for tensor in (graph.inputs if inputs is None else inputs)],
            "outputs": [None if tensor is None else self._ref(tensor) for tensor in outputs],
        }

    def _put(self, described: dict[str, Any], outputs: Sequence[Any]) -> None:
        """Add a node that gives these."""
        self._found.append(described)
        self._places.update((id(tensor), (len(self._found) - 1, slot)) for slot, tensor in enumerate(outputs))

    def _ref(self, tensor: Any) -> list[int]:
        return list(self._places[id(tensor)])

    def _described(self, node: Node) -> dict[str, Any]:
        try:
            return {"op": node.op.name, "name": node.name, "inputs": [self._ref(t) for t in node.inputs],
                    **self._details(node)}  # fmt: skip
        except UnknownError as error:
            raise _refused(node, str(error)) from error

    def _details(self, node: Node) -> dict[str, Any]:  # noqa: PLR0911 - a line a sort
        if node.op in (INPUT, NOTHING):
            return {}
        if node.op in (CONSTANT, CAPTURE):
            return {"array": self._values.array(node.attrs["tensor"]._host())}
        if node.op in (READ, ASSIGN):
            return {"variable": self._values.variable(node.attrs["variable"])}
        if node.op is CALL:
            return {"graphs": [self._inside(node.regions[0], node.attrs["run"].inner)]}
        if node.op is CONDITION:
            return self._choice(node)
        if node.op is LOOP:
            return self._loop(node)
        if node.op.name in LIST_NODES and (told := described_list_node(node)) is not None:
            return told
        if registry.get(node.op.name) is not node.op:
            raise UnknownError("it runs Python that only this process has")
        return {"attrs": {name: self._plain(value) for name, value in node.attrs.items()}}

    def _inside(self, graph: Graph, outputs: Sequence[Any]) -> Any:
        return GraphDef(graph, outputs, self._values).plain

    def _choice(self, node: Node) -> dict[str, Any]:
        run = node.attrs["run"]
        if any(tensor is None for row in run.inner for tensor in row):
            raise UnknownError("it keeps values for a gradient, which one of its branches does not have")
        graphs = [self._inside(region, row) for region, row in zip(node.regions, run.inner, strict=True)]
        by_truth = run.kind.function == "cond"
        return {"graphs": graphs, "takes": run.taken.places, "by_truth": by_truth}

    def _loop(self, node: Node) -> dict[str, Any]:
        run = node.attrs["run"]
        loop = run.loop
        if len(run.inner) != len(loop.body.outputs) + 1:
            raise UnknownError("it keeps what a gradient needs")
        graphs = [self._inside(routine.graph, routine.outputs) for routine in loop.routines]
        return {
            "graphs": graphs, "takes": run.taken.places, "timed": loop.timed, "backward": loop.backward,
            "carry": loop.carry, "lists": loop.lists,
            "forms": [form_of(tensor) for tensor in loop.body.graph.inputs[: loop.carry + loop.lists]],
            "results": [form_of(tensor) for tensor in node.outputs[:-1]],
        }  # fmt: skip


def _refused(node: Node, why: str) -> UnimplementedError:
    line = line_of(node)
    return UnimplementedError(
        f"The op {node.op.name!r} ({node.type}) of node {node.name!r} cannot be saved: {why}"
        + (f"\n  at {line}" if line else ""),
        node.op.name,
    )
