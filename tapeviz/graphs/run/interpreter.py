"""A run of a program node by node, without a plan: the first one, recorded ones, those that no function is written for.

Planning, writing and compiling takes longer than a hundred runs. A function that is called once for each of its traces,
a variable's first value, a session's initializer are never worth it. Who wants to see the nodes run, or to have a say
in it, gives a :class:`Hook`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol

from tapeviz.backends.silence import run_silently
from tapeviz.engine.deferred_numbers import Deferred, replaced
from tapeviz.engine.tensor import wrap
from tapeviz.graphs.ir.liveness import taken
from tapeviz.graphs.ir.special_nodes import (
    ASSIGN,
    CALL,
    CAPTURE,
    CONDITION,
    CONSTANT,
    INPUT,
    LOOP,
    PYTHON,
    READ,
    array_for,
    array_on,
    run_on,
)
from tapeviz.graphs.passes.constant_folding import HostKernel, kernel_for
from tapeviz.graphs.run.failures import explained_at

if TYPE_CHECKING:
    from tapeviz.backends import Backend
    from tapeviz.engine.symbolic import SymbolicTensor
    from tapeviz.graphs.ir.graph import Graph, Node

__all__ = ["Hook", "Inside", "Interpreter", "Runnable", "run_once"]

_AROUND_GRAPHS: Final = frozenset((CALL, CONDITION, LOOP))

Inside = Callable[[Any], Callable[[Sequence[Any]], tuple[Any, ...]]]
"""Makes a function on arrays of the executable of a graph that is inside a node."""


class Runnable(Protocol):
    """What an executable says of what it runs: nodes of a graph, on a device."""

    graph: Graph
    backend: Backend
    inputs: list[SymbolicTensor]
    outputs: list[SymbolicTensor | None]
    nodes: list[Node]


class Hook:
    """Called around each node of an :class:`Interpreter`'s run; here it does nothing.

    The arrays so far are ``run.values``, by the identity of the symbolic tensors; a hook may put others there, and the
    nodes to come take those.
    """

    def before(self, run: Interpreter, node: Node) -> bool | None:
        """A node is about to run. True stops the run in front of it."""

    def source(self, run: Interpreter, node: Node, tensor: Any) -> Any:  # noqa: ARG002 - the protocol
        """The tensor that a constant, a captured tensor or the read of a variable gives; or another in its place."""
        return tensor

    def inside(self, run: Interpreter, node: Node) -> Inside | None:  # noqa: ARG002 - the protocol
        """What makes the functions that run the graphs inside a node; None: they run without a hook."""
        return None

    def after(self, run: Interpreter, node: Node, outputs: Sequence[Any]) -> bool | None:
        """A node gave these arrays. True stops the run behind it."""

    def failed(self, run: Interpreter, node: Node, error: BaseException, /) -> None:
        """A node failed; the run ends with this error."""


class Interpreter:
    """One run of a program, node by node.

    Args:
        program: what is run.
        arrays: of its inputs.
        hook: called around the nodes. Without one, an array is let go when nothing needs it any more, and warnings have
            to be off already.

    ``values`` are the arrays so far, by the identity of the symbolic tensors, and ``place`` is the position in
    ``program.nodes`` of the node to run next.
    """

    def __init__(self, program: Runnable, arrays: Sequence[Any], hook: Hook | None = None) -> None:
        self.program = program
        self.values: dict[int, Any] = {id(tensor): array for tensor, array in zip(program.inputs, arrays, strict=True)}
        self.place = 0
        self._hook = hook
        self._backend = program.backend
        self._ending = _ending(program) if hook is None else {}

    def run(self, until: Node | None = None) -> bool:
        """Run the nodes from ``place`` on, up to ``until`` (which is not run). Whether the end was reached.

        A run that was stopped, by ``until`` or by the hook, goes on with the next call.

        Raises:
            OpError: a node failed; the message names the user's line.
        """
        __tracebackhide__ = True
        hook, values, ending, nodes = self._hook, self.values, self._ending, self.program.nodes
        for place in range(self.place, len(nodes)):
            node = nodes[place]
            self.place = place
            if node is until or (hook is not None and hook.before(self, node)):
                return False
            try:
                outputs = self._outputs(node)
            except Exception as error:  # noqa: BLE001 - whatever a kernel raises is explained
                better = explained_at(error, node)
                if hook is not None:
                    hook.failed(self, node, better)
                raise better from None
            values.update(zip(map(id, node.outputs), outputs, strict=False))
            self.place = place + 1
            if hook is not None and hook.after(self, node, outputs):
                return False
            for key in ending.get(place, ()):
                values.pop(key, None)
        return True

    @property
    def outputs(self) -> tuple[Any, ...]:
        """The arrays of the program's outputs."""
        return tuple(None if tensor is None else self.values[id(tensor)] for tensor in self.program.outputs)

    def number(self, number: Deferred) -> int:
        """What a deferred number is in this run."""
        return number.evaluated(self._leaf)

    def _leaf(self, leaf: Deferred) -> int:
        sort, *rest = leaf.source
        if sort == "axis":
            return int(self.values[id(rest[0])].shape[rest[1]])
        return int(self.values[id(rest[0])]) if sort == "value" else int(rest[0]())

    def _outputs(self, node: Node) -> Sequence[Any]:
        op = node.op
        if op is INPUT:
            raise ValueError(f"no value was given for {node.name}")
        if op is CONSTANT or op is CAPTURE:
            return (self._source(node, node.attrs["tensor"]),)
        if op is READ:
            return (self._source(node, node.attrs["variable"]._value),)
        values = self.values
        arrays = [values[id(tensor)] for tensor in node.inputs]
        if op is ASSIGN:
            variable = node.attrs["variable"]
            array = array_for(variable, arrays[0])
            variable._bind(wrap(array), "assigned")
            return (array,)
        if op in _AROUND_GRAPHS and self._hook is not None:
            inside = self._hook.inside(self, node)
            if inside is not None:  # which has warnings off for each node that is in there
                return run_on(node, range(len(node.outputs)), self._backend)(tuple(arrays), inside)  # type: ignore[no-any-return]
        if self._hook is None or op is PYTHON:  # that is the user's own code, with the user's warnings
            return self._results(node, arrays)
        return run_silently(self._results, node, arrays)  # type: ignore[no-any-return]

    def _source(self, node: Node, tensor: Any) -> Any:
        return array_on(self._backend, tensor if self._hook is None else self._hook.source(self, node, tensor))

    def _results(self, node: Node, arrays: list[Any]) -> Sequence[Any]:
        if "run" in node.attrs:
            return run_on(node, range(len(node.outputs)), self._backend)(tuple(arrays))  # type: ignore[no-any-return]
        kernel = kernel_for(node, self._backend)
        found = kernel(*arrays, **replaced(node.attrs, self.number)) if node.attrs else kernel(*arrays)
        if kernel.__class__ is HostKernel:
            return found if node.op.many else (found,)
        as_array = self._backend.as_array
        return [as_array(part) for part in found] if node.op.many else (as_array(found),)


def run_once(program: Runnable, arrays: Sequence[Any]) -> tuple[Any, ...]:
    """The outputs of a program for these arrays; warnings are off already.

    Raises:
        OpError: a node failed; the message names the user's line.
    """
    __tracebackhide__ = True
    run = Interpreter(program, arrays)
    run.run()
    return run.outputs


def _ending(program: Runnable) -> dict[int, list[int]]:
    """For each node, by its place, the values that nothing after it needs."""
    last: dict[int, int] = {}
    for place, node in enumerate(program.nodes):
        last.update((id(value), place) for value in (taken(node) if node.attrs else node.inputs))
        last.update((id(value), place) for value in node.outputs)
    for value in program.outputs:
        last.pop(id(value), None)
    found: dict[int, list[int]] = {}
    for key, place in last.items():
        found.setdefault(place, []).append(key)
    return found
