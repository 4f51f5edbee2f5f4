"""Runs over several tasks: which node is whose, and what goes from one task to another."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final

from tapeviz.backends import NUMPY, Backend
from tapeviz.compat.v1.cluster.segments import Segment, runs_anywhere, variable_of
from tapeviz.compat.v1.cluster.spec import Task
from tapeviz.compat.v1.graph.graph import Graph
from tapeviz.engine.device_names import parsed
from tapeviz.engine.errors import InvalidArgumentError, OpError
from tapeviz.graphs.ir.graph import Node
from tapeviz.graphs.ir.liveness import taken
from tapeviz.graphs.ir.special_nodes import CONSTANT
from tapeviz.graphs.run.executable import Executable

__all__ = ["Part", "TaskRun", "task_of"]

_next_number: Final = itertools.count(1).__next__


def task_of(node: Node, home: Task | None, tasks: Sequence[Task]) -> Task | None:
    """The task that a node is asked to run on; ``home`` where it asks for none; None for this process without a server.

    Raises:
        InvalidArgumentError: there is no such task in the cluster.
    """
    variable = variable_of(node)
    device = node.device if variable is None else variable.device
    name = parsed(device) if device else None
    if name is None or name.job is None:
        return home if runs_anywhere(node) else None
    found = Task(name.job, name.task or 0)
    if found in tasks:
        return found
    if name.is_local:
        return home
    raise InvalidArgumentError(
        f"Cannot assign a device for operation {node.name}: {{{{node {node.name}}}}} was explicitly assigned to "
        f"{device} but the tasks of the cluster are [ {', '.join(map(str, tasks))} ].\n\t [[{node.name}]]",
        node.type,
    )


class Part:
    """Nodes that one task runs at one go."""

    def __init__(self, task: Task | None, nodes: Sequence[Node]) -> None:
        self.number: int = _next_number()
        self.task = task
        self.nodes = list(nodes)
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []
        self.program: Any = None

    def connect(self, fixed: dict[int, Node], feeds: Sequence[Any], wanted: set[int]) -> None:
        """Find what it takes and gives; ``wanted`` are the tensors that are fetched or that other parts take."""
        given = {id(tensor) for tensor in feeds}
        made = {id(tensor) for node in self.nodes for tensor in node.outputs}
        constants: dict[int, Node] = {}
        inputs: dict[int, Any] = {}
        for tensor in (tensor for node in self.nodes for tensor in taken(node)):
            if id(tensor) in fixed and id(tensor) not in given:
                constants[id(tensor)] = fixed[id(tensor)]
            elif id(tensor) not in made or id(tensor) in given:
                inputs[id(tensor)] = tensor
        self.inputs = list(inputs.values())
        self.outputs = [t for node in self.nodes for t in node.outputs if id(t) in wanted and id(t) not in given]
        self.nodes = sorted([*constants.values(), *self.nodes], key=lambda node: node.number)


class TaskRun:
    """What computes tensors where the nodes behind them are of several tasks.

    The nodes are done in rounds. In each, every task goes as far as it can without the others, in the order in which
    the nodes were made; all of them at once.

    Args:
        graph: the nodes' graph.
        tensors: what is fetched.
        feeds: the tensors that are fed.
        nodes: what runs.
        place: gives the task of a node.
        cluster: asks the tasks of other processes.
        backend: gives the device here for nodes of this process.
    """

    def __init__(
        self, graph: Graph, tensors: Sequence[Any], feeds: Sequence[Any], nodes: Sequence[Node],
        place: Callable[[Node], Task | None], cluster: Any, backend: Callable[[Sequence[Node]], Backend],
    ) -> None:  # fmt: skip
        self.graph = graph
        self.backend: Backend = NUMPY
        self._feeds = list(feeds)
        self._outputs = list(tensors)
        self._cluster = cluster
        self._fixed = {id(node.outputs[0]): node for node in nodes if node.op is CONSTANT}
        fetched = {id(tensor) for tensor in tensors}
        moving = [n for n in nodes if n.op is not CONSTANT or id(n.outputs[0]) in fetched]
        self.rounds = _rounds(moving, place)
        parts = [part for parts in self.rounds for part in parts]
        for part in parts:
            others = (n for other in parts if other is not part for n in other.nodes)
            wanted = fetched | {id(tensor) for node in others for tensor in taken(node)}
            part.connect(self._fixed_elsewhere(part), feeds, wanted)
        for part in parts:
            if cluster.is_here(part.task):
                part.program = Executable(
                    graph, part.outputs, inputs=part.inputs, nodes=part.nodes, backend=backend(part.nodes)
                )
            else:
                part.program = Segment(graph, part.outputs, part.inputs, part.nodes)

    def _fixed_elsewhere(self, part: Part) -> dict[int, Node]:
        own = {node.number for node in part.nodes}
        return {key: node for key, node in self._fixed.items() if node.number not in own}

    def __call__(self, arrays: Sequence[Any]) -> tuple[Any, ...]:
        """The arrays of what is fetched, for those of what is fed."""
        __tracebackhide__ = True
        return self.run(arrays, lambda program, given: program(given))

    def run(self, arrays: Sequence[Any], run_here: Callable[[Executable, list[Any]], Sequence[Any]]) -> tuple[Any, ...]:
        """The same; ``run_here`` runs what is of this process.

        Raises:
            OpError: a node failed, or a task is gone. The variables of the other tasks have kept their values.
        """
        __tracebackhide__ = True
        values = {id(tensor): array for tensor, array in zip(self._feeds, arrays, strict=True)}
        with self._cluster.lock:
            for parts in self.rounds:
                self._run_round(parts, values, run_here)
        return tuple(values[id(tensor)] for tensor in self._outputs)

    def _run_round(self, parts: Sequence[Part], values: dict[int, Any], run_here: Callable[..., Any]) -> None:
        __tracebackhide__ = True
        failures: list[Exception] = []
        asked: list[Part] = []
        here = [part for part in parts if self._cluster.is_here(part.task)]
        for part in parts:
            if part not in here:
                try:
                    self._cluster.ask(part, [values[id(tensor)] for tensor in part.inputs])
                    asked.append(part)
                except OpError as error:
                    failures.append(error)
        for part in [] if failures else here:
            try:
                found = run_here(part.program, [values[id(tensor)] for tensor in part.inputs])
                values.update(zip(map(id, part.outputs), found, strict=True))
            except Exception as error:  # noqa: BLE001 - raised below, when the others have answered
                failures.append(error)
        for part in asked:
            try:
                values.update(zip(map(id, part.outputs), self._cluster.answer(part, self.graph), strict=True))
            except OpError as error:
                failures.append(error)
        if failures:
            raise failures[0]


def _rounds(nodes: Sequence[Node], place: Callable[[Node], Task | None]) -> list[list[Part]]:
    """The nodes in rounds, a part for each task in a round."""
    numbers = {node.number for node in nodes}
    waiting: dict[Task | None, deque[Node]] = {}
    for node in nodes:
        waiting.setdefault(place(node), deque()).append(node)
    found: list[list[Part]] = []
    done: set[int] = set()
    while any(waiting.values()):
        parts = []
        for task, queue in waiting.items():
            own: dict[int, Node] = {}
            while queue and (_before(queue[0]) & numbers) <= done | own.keys():
                node = queue.popleft()
                own[node.number] = node
            if own:
                parts.append(Part(task, list(own.values())))
        done.update(node.number for part in parts for node in part.nodes)
        found.append(parts)
    return found


def _before(node: Node) -> set[int]:
    return {tensor._node.number for tensor in taken(node)} | {other.number for other in node.control}
