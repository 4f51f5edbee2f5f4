"""A graph run node by node on tensors, with the observer's callbacks for each: slower, and everything can be seen."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

from tapeviz.backends import NUMPY
from tapeviz.backends.silence import run_silently
from tapeviz.engine.deferred import Deferred, replaced
from tapeviz.engine.dispatch import transfer
from tapeviz.engine.state import next_id
from tapeviz.engine.tensor import wrap
from tapeviz.graphs.ir.special_nodes import ASSIGN, CAPTURE, CONSTANT, INPUT, PYTHON, READ, array_for, run_on
from tapeviz.graphs.ir.traced_backward import BackwardReplay
from tapeviz.graphs.passes.constant_folding import HostKernel, kernel_for
from tapeviz.graphs.run.failures import explained_at

if TYPE_CHECKING:
    from tapeviz.backends import Backend
    from tapeviz.engine.observer import Observer
    from tapeviz.graphs.ir.graph import Node
    from tapeviz.graphs.run.interpreter import Runnable

__all__ = ["Run", "run_nodes", "variables_read"]


def variables_read(nodes: Sequence[Node]) -> list[Any]:
    """The variables that nodes read, or graphs inside them; each once, in the order of the nodes."""
    found: dict[int, Any] = {}
    for node in nodes:
        inner = [node.attrs["variable"]] if node.op is READ else []
        for region in node.regions:
            inner += variables_read(region.nodes)
        found |= {id(variable): variable for variable in inner}
    return list(found.values())


class Run:
    """One run: the tensors so far, by the symbolic ones that they stand for."""

    def __init__(self, program: Runnable, observer: Observer) -> None:
        self.backend: Backend = program.backend
        self.values: dict[int, Any] = {}
        self.observer = observer

    def of(self, tensor: Any) -> Any:
        """The tensor that a symbolic one stands for."""
        return self.values[id(tensor)]

    def here(self, tensor: Any) -> Any:
        """A tensor on the device of the program, unless that has no such dtype."""
        backend = self.backend
        stays = tensor._backend is backend or not backend.takes(tensor._a.dtype)
        return tensor if stays else transfer(tensor, backend)

    def number(self, number: Deferred) -> int:
        """What a deferred number is in this run."""
        return number.evaluated(self._leaf)

    def _leaf(self, leaf: Deferred) -> int:
        sort, *rest = leaf.source
        if sort == "axis":
            return int(self.of(rest[0])._a.shape[rest[1]])
        return int(self.of(rest[0])._a) if sort == "value" else int(rest[0]())

    def step(self, node: Node, *, quiet: bool = False) -> None:
        """Run one node; ``quiet`` says that it is a part of a backward step, which has a callback of its own."""
        __tracebackhide__ = True
        inputs = [self.of(tensor) for tensor in node.inputs]
        read = [] if quiet else self._read_inside(node)
        t0 = perf_counter()
        try:
            outputs = self._outputs(node, inputs)
        except Exception as error:  # noqa: BLE001 - whatever a kernel raises is explained
            better = explained_at(error, node)
            self.observer.on_op_error(node.op, [*inputs, *read], node.attrs, t0, better, node)
            raise better from None
        t1 = perf_counter()
        self.values.update({id(tensor): value for tensor, value in zip(node.outputs, outputs, strict=False)})
        made = tuple([tensor for tensor in outputs if tensor is not None])
        for tensor in made:
            if not hasattr(tensor, "_i"):
                tensor._i = next_id()  # asking for the number would be a tensor that no op made
        if made and not quiet:
            output = made[0] if len(made) == 1 else made
            self.observer.on_op(node.op, [*inputs, *read], output, node.attrs, t0, t1, node)

    def _read_inside(self, node: Node) -> list[Any]:
        """Values of the variables that the graphs inside a node read: it takes them, though not as inputs."""
        variables = variables_read([inner for region in node.regions for inner in region.nodes])
        for variable in variables:
            self.observer.on_variable(variable, "read")
        return [variable._value for variable in variables]

    def _outputs(self, node: Node, inputs: list[Any]) -> list[Any]:
        arrays = [tensor._a for tensor in inputs]
        if node.op is ASSIGN:
            variable = node.attrs["variable"]
            value = wrap(array_for(variable, arrays[0]))
            variable._bind(value, "assigned")
            return [value]
        run = node.attrs.get("run")
        if run is not None:
            if self.backend is not NUMPY:
                run = run_on(node, range(len(node.outputs)), self.backend)
            silent = node.op is not PYTHON  # that is the user's own code, with the user's warnings
            found = run_silently(run, tuple(arrays)) if silent else run(tuple(arrays))
            return [None if array is None else wrap(array) for array in found]
        kernel = kernel_for(node, self.backend)
        result = run_silently(kernel, *arrays, **replaced(node.attrs, self.number))
        parts = result if node.op.many else [result]
        placed = parts if kernel.__class__ is HostKernel else map(self.backend.as_array, parts)
        return [wrap(array) for array in placed]


def run_nodes(program: Runnable, tensors: Sequence[Any], observer: Observer) -> Run:
    """Run ``program`` for eager tensors, node by node, with a callback of ``observer`` for each.

    Raises:
        OpError: a node failed; the message names the user's line.
    """
    __tracebackhide__ = True
    run = Run(program, observer)
    run.values.update({id(tensor): value for tensor, value in zip(program.inputs, tensors, strict=True)})
    replay = BackwardReplay(program.graph.nodes, program.graph.backward_trace, run.values, observer)
    for node in program.nodes:
        replay.before(node.number)
        if node.op is INPUT:
            continue
        if node.op is CONSTANT or node.op is CAPTURE:
            run.values[id(node.outputs[0])] = run.here(node.attrs["tensor"])
        elif node.op is READ:
            variable = node.attrs["variable"]
            observer.on_variable(variable, "read")
            run.values[id(node.outputs[0])] = run.here(variable._value)
        else:
            run.step(node, quiet=replay.quiet)
    replay.before(len(program.graph.nodes))
    return run
