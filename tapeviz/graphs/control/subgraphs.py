"""Graphs inside a node: traced from Python functions, and what they take from the graph around them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.kernels import recorded_ops as ops
from tapeviz.engine.state import local
from tapeviz.engine.symbolic import SymbolicTensor
from tapeviz.graphs.control.tensor_lists import add_lists, is_list
from tapeviz.graphs.ir.graph import Graph, Node
from tapeviz.graphs.ir.inference import ShapeDtype
from tapeviz.graphs.ir.liveness import runs_python
from tapeviz.graphs.ir.tracing import tracing
from tapeviz.graphs.run.graph_function import GraphFunction

__all__ = ["Region", "Taken", "open_spec", "settle", "sum_of"]


class Region:
    """A Python function traced as a graph inside the one that is being built.

    Args:
        name: what it is a graph of, for people.
        kind: of the graph.
        function: takes the inputs.
        inputs: forms and names of what it is given besides what it takes from outside.

    ``form`` is the structure that the function gave, ``leaves`` the tensors of the graph in it; None for None.
    """

    def __init__(
        self, name: str, kind: str, function: Callable[..., Any], inputs: Sequence[tuple[ShapeDtype, str]] = ()
    ) -> None:
        __tracebackhide__ = True
        self.graph: Graph
        self.graph = graph = Graph(name, outer=local.state.graph, kind=kind)  # type: ignore[arg-type]
        with tracing(graph):
            given = [graph.input(form[0], form[1], label) for form, label in inputs]
            self.form: Any = function(*given)
            self.leaves: list[SymbolicTensor | None] = [_leaf(graph, leaf) for leaf in nest.flatten(self.form)]

    def routine(self) -> GraphFunction:
        """The graph as a routine of what the function gave."""
        return GraphFunction(self.graph, self.leaves)


def _leaf(graph: Graph, leaf: Any) -> SymbolicTensor | None:
    if leaf is None or isinstance(leaf, Node):
        return None
    try:
        return graph.own(convert_to_tensor(leaf))  # type: ignore[no-any-return]
    except (TypeError, ValueError) as error:
        raise TypeError(
            "To be compatible with tf.function, Python functions must return zero or more Tensors or ExtensionTypes or "
            f"None values; in compilation of {graph.name}, found return value of type {type(leaf).__name__}, which is "
            "not a Tensor or ExtensionType."
        ) from error


class Taken:
    """What graphs inside a node take from the graph around it.

    Args:
        graph: the graph around.
        routines: the graphs inside.
        given: how many inputs each of them is given besides.

    ``inputs`` are the tensors to give to the node, ``places`` for each routine which of them it takes, in its order.
    ``sources`` are all tensors around by which gradients can be asked, variables' values too; ``of`` says for each
    routine which of them its own sources are, after those that it is given.
    """

    def __init__(self, graph: Graph, routines: Sequence[GraphFunction], given: Sequence[int]) -> None:
        self.given: list[int] = list(given)
        found: dict[int, int] = {}
        self.inputs: list[SymbolicTensor] = []
        self.places: list[list[int]] = [
            [_numbered(outer, self.inputs, found) for outer, _ in r.graph.captures] for r in routines
        ]
        self.sources: list[SymbolicTensor] = list(self.inputs)
        self.of: list[list[int]] = []
        for routine, count in zip(routines, given, strict=True):
            inner = routine.graph
            constants = [graph.own(tensor) for tensor, _ in inner.constants.values()]
            read = [graph.own(inner.variables[number]._read()) for number, _ in inner._reads]
            outer = [*(reached for reached, _ in inner.captures), *constants, *read]
            assert len(outer) + count == len(routine.sources)  # noqa: S101 - inputs first, then what is captured
            self.of.append([_numbered(tensor, self.sources, found) for tensor in outer])


def _numbered(tensor: SymbolicTensor, into: list[SymbolicTensor], found: dict[int, int]) -> int:
    """The place of the tensor in the list; it is put there if it is not in it."""
    if id(tensor) not in found:
        found[id(tensor)] = len(into)
        into.append(tensor)
    return found[id(tensor)]


def settle(graph: Graph, node: Node, routines: Sequence[GraphFunction]) -> None:
    """A node has these graphs inside: it runs after what they ask for, and what they assign is not what it was."""
    for routine in routines:
        inner = routine.graph
        node.control = (*node.control, *inner._asked)
        graph.written_elsewhere([inner.variables[number] for number in inner.writes])
        if runs_python(inner.nodes):
            graph.forget_reads()


def open_spec(tensor: Any) -> ShapeDtype:
    """Shape and dtype of a tensor, with None for sizes that are not known while tracing."""
    shape = tensor.shape
    return (None if shape.rank is None else tuple(shape.dims or ())), tensor._a.dtype


def sum_of(first: Any, second: Any) -> Any:
    """The sum of two gradients; None stands for zero."""
    if first is None or second is None:
        return second if first is None else first
    return add_lists(first, second) if is_list(first) else ops.add(first, second)
