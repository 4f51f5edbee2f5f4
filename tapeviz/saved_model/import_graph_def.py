"""Running graphs from their plain form: while a function is traced, each op becomes a node again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tapeviz.engine.declaration import registry
from tapeviz.engine.state import local
from tapeviz.engine.tensor import wrap
from tapeviz.graphs.control.control_flow import cond, switch_case
from tapeviz.graphs.control.loop_gradients import loop_outputs
from tapeviz.graphs.control.loop_nodes import Loop
from tapeviz.graphs.control.subgraphs import Region
from tapeviz.saved_model.lists import LIST_NODES, list_node, restored_form
from tapeviz.saved_model.plain import Restored

__all__ = ["GraphImporter"]


class GraphImporter:
    """Runs graphs.

    Args:
        arrays: the arrays that they hold, by number.
        variables: the variables that they read, by number.
        special: what runs nodes of other kinds, by the names of their ops.
        named: whether nodes of the graph that is being built have the names of those that are run.
    """

    def __init__(
        self,
        arrays: Sequence[np.ndarray],
        variables: Sequence[Any],
        special: Mapping[str, Callable[[dict[str, Any], list[Any]], Any]] | None = None,
        *,
        named: bool = False,
    ) -> None:
        self.special = special or {}
        self.named = named
        self.tensors = [wrap(array) for array in arrays]
        self.arrays = arrays
        self.variables = variables

    def play(self, graph: dict[str, Any], given: Sequence[Any]) -> list[Any]:
        """The outputs of a graph for these inputs."""
        return _Run(self, graph, given).outputs()


class _Run:
    """One run of one graph."""

    def __init__(self, player: GraphImporter, graph: dict[str, Any], given: Sequence[Any]) -> None:
        self._player = player
        self._graph = graph
        self._made: list[tuple[Any, ...]] = []
        self._given = {tuple(ref): tensor for ref, tensor in zip(graph["inputs"], given, strict=True)}
        self._restored = Restored(self._of, lambda number: player.arrays[number])

    def _of(self, ref: Sequence[int]) -> Any:
        return self._made[ref[0]][ref[1]]

    def outputs(self) -> list[Any]:
        """Run the nodes in order."""
        for place, node in enumerate(self._graph["nodes"]):
            special = None if "attrs" in node else getattr(self, f"_run_{node['op']}", None)
            special = self._player.special.get(node["op"], special)
            if node["op"] == "input":
                self._made.append((self._given[place, 0],))
                continue
            inputs = [self._of(ref) for ref in node["inputs"]]
            self._made.append(tuple(self._compute(node, inputs) if special is None else special(node, inputs)))
        return [None if ref is None else self._of(ref) for ref in self._graph["outputs"]]

    def _compute(self, node: dict[str, Any], inputs: list[Any]) -> Any:
        if node["op"] in LIST_NODES:
            return (list_node(node, inputs),)
        op = registry[node["op"]]
        attrs = {name: self._restored(value) for name, value in node["attrs"].items()}
        graph: Any = local.state.graph
        found = graph.add(op, inputs, attrs, f"{node['name']}/" if self._player.named else None)
        return found if op.many else (found,)

    def _run_constant(self, node: dict[str, Any], _: Any) -> Any:
        return (self._player.tensors[node["array"]],)

    _run_capture = _run_constant

    def _run_read(self, node: dict[str, Any], _: Any) -> Any:
        return (self._player.variables[node["variable"]]._read(),)

    def _run_assign(self, node: dict[str, Any], inputs: list[Any]) -> Any:
        self._player.variables[node["variable"]].assign(inputs[0], read_value=False)
        return ()

    def _run_nothing(self, _: Any, __: Any) -> Any:
        return ()

    def _run_call(self, node: dict[str, Any], inputs: list[Any]) -> Any:
        return self._player.play(node["graphs"][0], inputs)

    def _run_cond(self, node: dict[str, Any], inputs: list[Any]) -> Any:
        predicate, *taken = inputs
        branches = [
            lambda graph=graph, places=places: self._player.play(graph, [taken[place] for place in places])
            for graph, places in zip(node["graphs"], node["takes"], strict=True)
        ]
        if node["by_truth"]:
            return cond(predicate, branches[0], branches[1])
        return switch_case(predicate, branches)

    def _run_while(self, node: dict[str, Any], inputs: list[Any]) -> Any:
        carry, lists, timed = node["carry"], node["lists"], node["timed"]
        begin, taken = inputs[: timed + carry + lists], inputs[timed + carry + lists :]
        forms = [(restored_form(told), f"value_{place}") for place, told in enumerate(node["forms"])]
        regions = [
            Region(
                f"{node['name']}_{place}", "while",
                lambda *given, graph=graph, places=places: self._player.play(
                    graph, [*given, *(taken[place] for place in places)]
                ), own,
            )
            for place, (graph, places, own) in enumerate(
                zip(node["graphs"], node["takes"], [forms, forms[:carry]], strict=False)
            )
        ]  # fmt: skip
        routines = [region.routine() for region in regions]
        test = routines[1] if len(routines) > 1 else None
        loop = Loop(test, routines[0], carry, lists, timed=timed, backward=node["backward"])
        return loop_outputs(loop, begin, [restored_form(told) for told in node["results"]], node["name"])
