"""A run of a graph that somebody records: as one step, or node by node where contents are kept."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from time import perf_counter
from typing import TYPE_CHECKING, Any

from tapeviz.engine.dispatch import transfer
from tapeviz.engine.scopes import span
from tapeviz.engine.state import next_id
from tapeviz.engine.tensor import wrap
from tapeviz.graphs.ir.liveness import variables_read
from tapeviz.graphs.ir.special_nodes import ASSIGN, CALL, INPUT, READ
from tapeviz.graphs.ir.traced_backward import BackwardReplay
from tapeviz.graphs.run.interpreter import Hook, Interpreter
from tapeviz.graphs.run.node_tape_entries import follow

if TYPE_CHECKING:
    from tapeviz.engine.observer import Observer
    from tapeviz.graphs.ir.graph import Graph, Node
    from tapeviz.graphs.run.executable import Executable

__all__ = ["observed"]


def observed(
    program: Executable,
    graph: Graph,
    tensors: Sequence[Any],
    observer: Observer,
    tapes: Sequence[Any] = (),
    **columns: Any,
) -> list[Any]:
    """The outputs of a program as eager tensors; ``observer`` sees a span, and in it a step or the nodes.

    ``tapes`` follow the nodes, each as an op of its own.
    """
    __tracebackhide__ = True
    token = observer.on_span_begin("graph", graph.name, {})
    failure: BaseException | None = None
    pruned = sum(node.op is not INPUT for node in graph.nodes) - len(program.nodes)
    stepped_through = int(observer.runs_nodes)
    try:
        with nullcontext() if program.is_planned else span("plan", f"planning {graph.name}"):
            plan = program.plan
        observer.on_graph_run(token, graph, {"pruned": pruned, "stepped": stepped_through, **columns}, plan)
        if observer.runs_nodes:
            return _run_nodes(program, tensors, observer, tapes)
        read = program.variables_read
        for variable in read:
            observer.on_variable(variable, "read")
        taken = [*tensors, *(variable._value for variable in read)]
        t0 = perf_counter()
        found = [None if array is None else wrap(array) for array in program([tensor._a for tensor in tensors])]
        made = tuple(tensor for tensor in found if tensor is not None)
        if made:
            observer.on_op(CALL, taken, made, {"graph": graph.name}, t0, perf_counter())
    except BaseException as error:
        failure = error
        raise
    finally:
        observer.on_span_end(token, failure)
    return found


def _run_nodes(program: Executable, tensors: Sequence[Any], observer: Observer, tapes: Sequence[Any]) -> list[Any]:
    __tracebackhide__ = True
    seen = _NodeCalls(program, tensors, observer)
    run = Interpreter(program, [tensor._a for tensor in tensors], seen)
    run.run()
    seen.replay.before(len(program.graph.nodes))
    if tapes:
        follow(program.graph, seen.tensors, run.number, tapes)
    return [None if tensor is None else seen.tensors[id(tensor)] for tensor in program.outputs]


class _NodeCalls(Hook):
    """Gives an observer the calls of an eager program, with tensors for the arrays of the run.

    ``tensors`` are these, by the identity of the symbolic ones.
    """

    def __init__(self, program: Executable, tensors: Sequence[Any], observer: Observer) -> None:
        self.tensors: dict[int, Any] = {id(own): given for own, given in zip(program.inputs, tensors, strict=True)}
        self.replay = BackwardReplay(program.graph.nodes, program.graph.backward_trace, self.tensors, observer)
        self._observer = observer
        self._inputs: list[Any] = []
        self._since = 0.0

    def before(self, _run: Interpreter, node: Node) -> None:
        """What came before the node in its graph is replayed."""
        self.replay.before(node.number)
        self._inputs = [self.tensors[id(tensor)] for tensor in node.inputs]
        if not self.replay.quiet and node.regions:
            # The graphs inside a node read variables: it takes them, though not as inputs.
            read = variables_read([inner for region in node.regions for inner in region.nodes])
            for variable in read:
                self._observer.on_variable(variable, "read")
            self._inputs += [variable._value for variable in read]
        self._since = perf_counter()

    def source(self, run: Interpreter, node: Node, tensor: Any) -> Any:
        """On the device of the program, unless that has no such dtype."""
        if node.op is READ:
            self._observer.on_variable(node.attrs["variable"], "read")
        backend = run.program.backend
        stays = tensor._backend is backend or not backend.takes(tensor._a.dtype)
        here = self.tensors[id(node.outputs[0])] = tensor if stays else transfer(tensor, backend)
        return here

    def after(self, _run: Interpreter, node: Node, outputs: Sequence[Any]) -> None:
        """An op of the program, unless the node is a part of a backward step, which has a callback of its own."""
        end = perf_counter()
        if "source" in node.op.traits or node.op is READ:
            return
        if node.op is ASSIGN:
            found = [node.attrs["variable"]._value]
        else:
            found = [None if array is None else wrap(array) for array in outputs]
        self.tensors.update(zip(map(id, node.outputs), found, strict=False))
        made = [tensor for tensor in found if tensor is not None]
        for tensor in made:
            if not hasattr(tensor, "_i"):
                tensor._i = next_id()  # asking for the number would be a tensor that no op made
        if made and not self.replay.quiet:
            output = made[0] if len(made) == 1 else tuple(made)
            self._observer.on_op(node.op, self._inputs, output, node.attrs, self._since, end, node)

    def failed(self, _run: Interpreter, node: Node, error: BaseException, /) -> None:
        """The op failed."""
        self._observer.on_op_error(node.op, self._inputs, node.attrs, self._since, error, node)
