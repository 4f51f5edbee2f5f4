"""A part of a run as plain data, and a program made of it again in another process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from tapeviz.compat.v1.graph.graph import Graph, entered
from tapeviz.compat.v1.graph.placeholders import DEFAULT
from tapeviz.compat.v1.variables.graph_variables import GraphVariable
from tapeviz.compat.v1.variables.variable_nodes import (
    ASSIGN,
    ASSIGN_ADD,
    ASSIGN_SUB,
    INITIALIZED,
    IS_INITIALIZED,
    VARIABLE,
    Initialized,
    IsInitialized,
    Reading,
    Writing,
)
from tapeviz.engine.declaration import registry
from tapeviz.engine.deferred_numbers import Deferred
from tapeviz.engine.errors import UnimplementedError
from tapeviz.engine.types import LISTS
from tapeviz.graphs.ir.graph import Node
from tapeviz.graphs.ir.special_nodes import PYTHON, Special
from tapeviz.graphs.run.executable import Executable
from tapeviz.saved_model.graph_def import GraphDef, Values
from tapeviz.saved_model.import_graph_def import GraphImporter
from tapeviz.saved_model.lists import form_of, restored_form
from tapeviz.saved_model.plain import Plain

__all__ = ["KEPT", "Segment", "built", "keep_newest", "runs_anywhere", "variable_of"]

KEPT: Final = 256
"""How many segments of a connection are known to be at its other end, which keeps twice as many."""
_WRITES: Final = (ASSIGN, ASSIGN_ADD, ASSIGN_SUB)
_READS: Final[dict[Special, Any]] = {VARIABLE: Reading, INITIALIZED: Initialized, IS_INITIALIZED: IsInitialized}
_OF_VARIABLES: Final = (*_READS, *_WRITES)


def variable_of(node: Node) -> Any:
    """The variable that a node reads or assigns; None for other nodes."""
    return node.attrs["run"].variable if node.op in _OF_VARIABLES else None


def runs_anywhere(node: Node) -> bool:
    """Whether another process can run a node: it calls no Python of this one's."""
    ours = node.op in _OF_VARIABLES or node.op is DEFAULT or bool(node.regions)
    return ours or "run" not in node.attrs or (node.op is not PYTHON and registry.get(node.op.name) is node.op)


class _Values(Values):
    """The arrays of a segment, and its variables by name."""

    def __init__(self) -> None:
        super().__init__({})
        self.variables: dict[Any, int] = {}

    def variable(self, variable: Any) -> int:
        """The number of a variable. Raises UnimplementedError: it is an eager one, whose value this process has."""
        if not isinstance(variable, GraphVariable):
            raise UnimplementedError(f"an eager variable has its value in one process: {variable.name}")
        return self.variables.setdefault(variable, len(self.variables))


class _PlainWithDraws(Plain):
    """Attributes in which a number that is drawn at each run is one that the segment is given."""

    drawn: Callable[[Callable[[], int]], list[int]]

    def _size(self, size: Deferred) -> Any:
        sort, *rest = size.source
        return ["value", self.drawn(rest[0])] if sort == "call" else super()._size(size)


class Segment(GraphDef):
    """The nodes of a run that one task does at one go, as plain data.

    ``plain`` is that; ``arrays`` are the constants in it, and ``draws`` give the random seeds of a run, which come
    after the inputs.

    Raises:
        UnimplementedError: a node calls Python of this process, or a list of tensors would have to be sent.
    """

    plain_form = _PlainWithDraws

    def __init__(self, graph: Graph, outputs: Sequence[Any], inputs: Sequence[Any], nodes: Sequence[Node]) -> None:
        for tensor in (*inputs, *outputs):
            if tensor._a.dtype in LISTS.values():
                raise UnimplementedError(f"a list of tensors cannot be sent to another task: {tensor.name}")
        self.draws: list[Callable[[], int]] = []
        self._drawn: list[list[int]] = []
        values = _Values()
        super().__init__(graph, outputs, values, inputs, nodes)
        self.plain["inputs"] += self._drawn
        self.plain["forms"] = [form_of(tensor) for tensor in inputs] + [[[], "int64", False]] * len(self.draws)
        self.plain["variables"] = [[variable.op.name, form_of(variable._tensor)] for variable in values.variables]
        self.arrays: list[np.ndarray] = values.arrays

    def _described(self, node: Node) -> dict[str, Any]:
        self._plain.drawn = self._draw  # type: ignore[attr-defined]
        return super()._described(node)

    def _draw(self, call: Callable[[], int]) -> list[int]:
        self._put({"op": "input", "name": f"seed_{len(self.draws)}", "inputs": []}, ())
        self.draws.append(call)
        self._drawn.append([len(self._found) - 1, 0])
        return self._drawn[-1]

    def _details(self, node: Node) -> dict[str, Any]:
        if node.op is DEFAULT:
            return {"op": "identity", "attrs": {}}
        variable = variable_of(node)
        return super()._details(node) if variable is None else {"variable": self._values.variable(variable)}


def built(plain: dict[str, Any], arrays: Sequence[np.ndarray]) -> Executable:
    """The program of a segment: it takes the arrays of its inputs and seeds."""
    graph = Graph()
    with entered(graph):
        variables = [
            GraphVariable(graph, _input(graph, form, "initial_value"), f"{name}/", validate_shape=False)
            for name, form in plain["variables"]
        ]
        begin = len(graph.nodes)
        inputs = [_input(graph, form, f"input_{k}") for k, form in enumerate(plain["forms"])]
        special = {op.name: _special(graph, variables, op) for op in _OF_VARIABLES}
        importer = GraphImporter(arrays, variables, special, named=True)
        outputs = [graph.own(tensor) for tensor in importer.play(plain, inputs)]
    for node in graph.nodes:
        node.code = None  # the user's line is in the other process
    return Executable(graph, outputs, inputs=inputs, nodes=graph.nodes[begin:])


def keep_newest(by_number: dict[int, Any], count: int = KEPT) -> None:
    """Drop the oldest of too many segments."""
    while len(by_number) > count:
        del by_number[next(iter(by_number))]


def _input(graph: Graph, form: Sequence[Any], name: str) -> Any:
    shape, dtype = restored_form(form)
    return graph.input(shape, dtype, name)


def _special(
    graph: Graph, variables: Sequence[GraphVariable], op: Special
) -> Callable[[dict[str, Any], list[Any]], Any]:
    """What makes a variable's node again."""

    def made(node: dict[str, Any], inputs: list[Any]) -> Any:
        variable = variables[node["variable"]]
        run = Writing(variable, op) if op in _WRITES else _READS[op](variable)
        form = ((), np.dtype(np.bool_)) if op is IS_INITIALIZED else variable._form
        return graph.node(op, [graph.own(t) for t in inputs], {"run": run}, [form], f"{node['name']}/").outputs

    return made
