"""A run of a graph that somebody records: as one step, or node by node where contents are kept."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from time import perf_counter
from typing import TYPE_CHECKING, Any

from tapeviz.engine.scopes import span
from tapeviz.engine.tensor import wrap
from tapeviz.graphs.ir.special_nodes import CALL, INPUT
from tapeviz.graphs.run.node_tape_entries import follow
from tapeviz.graphs.run.stepper import run_nodes

if TYPE_CHECKING:
    from tapeviz.engine.observer import Observer
    from tapeviz.graphs.ir.graph import Graph
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
            run = run_nodes(program, tensors, observer)
            if tapes:
                follow(graph, run.values, run.number, tapes)
            return [None if tensor is None else run.of(tensor) for tensor in program.outputs]
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
