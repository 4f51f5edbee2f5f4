"""A graph as a Python function on arrays, written from its nodes.

For ``y = tf.reduce_sum(x * w)`` it is::

    def run(i0):
        v1 = var1._value._a
        v2 = k2(i0, v1)
        del i0, v1
        v3 = k3(v2, axis=None, keepdims=False)
        del v2
        return (v3,)

No tensors are made on the way and nobody is asked what is on: that, and the freedom to leave nodes out, is what a graph
saves.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapeviz.backends import NUMPY, Backend
from tapeviz.backends.silence import run_silently
from tapeviz.engine.deferred import Deferred
from tapeviz.engine.dispatch import computes
from tapeviz.engine.kernels import kernel_of
from tapeviz.engine.tensor import wrap
from tapeviz.engine.types import BFLOAT16
from tapeviz.engine.unusual import widened
from tapeviz.graphs.failures import explained
from tapeviz.graphs.liveness import needed, taken
from tapeviz.graphs.special import ASSIGN, CALL, CAPTURE, CONDITION, CONSTANT, INPUT, LOOP, PYTHON, READ, Special

if TYPE_CHECKING:
    from tapeviz.engine.symbolic import SymbolicTensor
    from tapeviz.graphs.graph import Graph, Node

__all__ = ["Program"]

_Slice: Final = slice
_count: Final = itertools.count(1).__next__


class Program:
    """A graph made ready to run on one device: ``program(arrays)`` gives the outputs' arrays.

    Args:
        graph: what to run.
        outputs: its tensors to give back; None stands for None.
        inputs: the tensors whose arrays are given, in order; the graph's inputs unless said otherwise.
        nodes: the nodes to run; those that the outputs need, and those with effects, unless said otherwise.
    """

    def __init__(
        self,
        graph: Graph,
        outputs: Sequence[SymbolicTensor | None],
        inputs: Sequence[SymbolicTensor] | None = None,
        nodes: Sequence[Node] | None = None,
        backend: Backend = NUMPY,
    ) -> None:
        self.graph = graph
        self.backend = backend
        self.outputs = list(outputs)
        self.inputs = list(graph.inputs if inputs is None else inputs)
        given = {id(tensor) for tensor in self.inputs}
        chosen = needed(graph, outputs, effects=True) if nodes is None else nodes
        self.nodes = [node for node in chosen if not any(id(tensor) in given for tensor in node.outputs)]
        self.source, self._scope, self._lines = _Writer(self).written()
        scope = dict(self._scope)
        exec(compile(self.source, self.file, "exec"), scope)  # noqa: S102 - the text is made from our own nodes
        self._run: Callable[..., Any] = scope["run"]

    @property
    def file(self) -> str:
        """The made-up file name of the written function."""
        return f"<tapeviz graph {self.graph.number}>"

    def inside(self, arrays: Sequence[Any]) -> tuple[Any, ...]:
        """Run it as a part of another program's run, which has turned warnings off already."""
        __tracebackhide__ = True
        try:
            return self._run(*arrays)  # type: ignore[no-any-return]
        except Exception as error:  # noqa: BLE001 - whatever a kernel raises is explained
            better = explained(error, self.file, self._lines)
        raise better

    def __call__(self, arrays: Sequence[Any]) -> tuple[Any, ...]:
        """Run it.

        Raises:
            OpError: a node failed; the message names the user's line.
        """
        __tracebackhide__ = True
        try:
            return run_silently(self._run, *arrays)  # type: ignore[no-any-return]
        except Exception as error:  # noqa: BLE001 - whatever a kernel raises is explained
            better = explained(error, self.file, self._lines)
        raise better


class _Writer:
    """Writes the function of a program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._scope: dict[str, Any] = {"ndarray": np.ndarray, "asarray": program.backend.as_array, "wrap": wrap}
        self._names: dict[int, str] = {id(tensor): f"i{place}" for place, tensor in enumerate(program.inputs)}
        self._used: set[int] = set()
        self._lines: list[str] = []
        self._at: dict[int, Node] = {}

    def written(self) -> tuple[str, dict[str, Any], dict[int, Node]]:
        """The text, the names it uses, and which node each line belongs to."""
        program = self._program
        self._lines = [f"def run({', '.join(f'i{place}' for place in range(len(program.inputs)))}):"]
        last = _last_uses(program)
        self._used = {id(tensor) for node in program.nodes for tensor in taken(node)}
        self._used.update(map(id, program.outputs))
        for node in program.nodes:
            self._write(node)
            if done := [name for tensor in last.get(node.number, ()) if (name := self._local(tensor))]:
                self._line(node, f"del {', '.join(done)}")
        results = "".join(f"{self._name(tensor)}, " for tensor in program.outputs)
        self._lines.append(f"    return ({results})")
        return "\n".join(self._lines), self._scope, self._at

    def _line(self, node: Node, text: str) -> None:
        self._lines.append(f"    {text}")
        self._at[len(self._lines)] = node

    def _local(self, tensor: SymbolicTensor) -> str:
        name = self._names.get(id(tensor), "")
        return name if name[:1] in ("v", "i") else ""

    def _name(self, tensor: SymbolicTensor | None) -> str:
        return "None" if tensor is None else self._names[id(tensor)]

    def _constant(self, value: Any, kind: str) -> str:
        name = f"{kind}{len(self._scope)}"
        self._scope[name] = value
        return name

    def _targets(self, node: Node) -> str:
        for tensor in node.outputs:
            self._names[id(tensor)] = f"v{node.number}_{tensor._slot}" if tensor._slot else f"v{node.number}"
        return "".join(f"{self._names[id(tensor)]}, " for tensor in node.outputs)

    def _write(self, node: Node) -> None:
        special = _SPECIAL.get(node.op)
        if special is None and isinstance(node.op, Special):
            special = _Writer._called
        if special is not None:
            special(self, node)
            return
        kernel = kernel_of(node.op, self._program.backend)
        if computes(node.op) and any(t._a.dtype == BFLOAT16 for t in (*node.inputs, *node.outputs)):
            kernel = widened(kernel)
        attrs = [f"{key}={self.text(value)}" for key, value in node.attrs.items()]
        inputs = [self._name(tensor) for tensor in node.inputs]
        call = f"{self._constant(kernel, 'k')}({', '.join([*inputs, *attrs])})"
        targets = self._targets(node)
        if node.op.many:
            self._line(node, f"{targets}= {call}")
            return
        name = self._name(node.outputs[0])
        self._line(node, f"{name} = {call}")
        if not node.outputs[0]._a._shape:  # array functions give scalars for rank 0
            self._line(node, f"if {name}.__class__ is not ndarray: {name} = asarray({name})")

    def text(self, value: Any) -> str:
        """An attribute as an expression."""
        if isinstance(value, Deferred):
            return self._number(value)
        if value.__class__ is tuple:
            return f"({''.join(f'{self.text(part)}, ' for part in value)})"
        if value.__class__ is list:
            return f"[{', '.join(map(self.text, value))}]"
        if value.__class__ is _Slice:
            bounds = ", ".join(map(self.text, (value.start, value.stop, value.step)))
            return f"{self._constant(_Slice, 'c')}({bounds})"
        if value is None or value.__class__ in (bool, int, str):
            return repr(value)
        return self._constant(value, "c")

    def _number(self, number: Deferred) -> str:
        sort, *rest = number.source
        if sort == "axis":
            return f"{self._name(rest[0])}.shape[{rest[1]}]"
        if sort == "value":
            return f"int({self._name(rest[0])})"
        if sort == "call":
            return f"{self._constant(rest[0], 'c')}()"
        function, *parts = rest
        return f"{self._constant(function, 'c')}({', '.join(map(self.text, parts))})"

    # Steps that are no ops on arrays.

    def _input(self, node: Node) -> None:
        raise ValueError(f"nothing was given for {node.name}")

    def _fixed(self, node: Node) -> None:
        tensor = node.attrs["tensor"]
        here = tensor._a if tensor._backend is self._program.backend else _moved(tensor, self._program.backend)
        self._names[id(node.outputs[0])] = self._constant(here, "c")

    def _read(self, node: Node) -> None:
        variable = self._constant(node.attrs["variable"], "w")
        self._targets(node)
        self._line(node, f"{self._name(node.outputs[0])} = {variable}._value._a")

    def _assign(self, node: Node) -> None:
        variable = self._constant(node.attrs["variable"], "w")
        self._line(node, f'{variable}._bind(wrap({self._name(node.inputs[0])}), "assigned")')

    def _called(self, node: Node) -> None:
        function = self._constant(node.attrs["run"], "f")
        inputs = "".join(f"{self._name(tensor)}, " for tensor in node.inputs)
        targets = self._targets(node)
        self._line(node, f"{targets}{'= ' if targets else ''}{function}(({inputs}))")

    def _with_regions(self, node: Node) -> None:
        """A node with graphs inside is asked for the outputs that are used. Gradients add outputs to it later on."""
        used = [tensor for tensor in node.outputs if id(tensor) in self._used]
        function = self._constant(node.attrs["run"].giving(tuple(tensor._slot for tensor in used)), "f")
        inputs = "".join(f"{self._name(tensor)}, " for tensor in node.inputs)
        self._names.update({id(tensor): f"v{node.number}_{tensor._slot}" for tensor in used})
        targets = "".join(f"{self._name(tensor)}, " for tensor in used)
        self._line(node, f"{targets}{'= ' if targets else ''}{function}(({inputs}))")


_SPECIAL: Final[dict[Any, Callable[[_Writer, Any], None]]] = {
    INPUT: _Writer._input,
    CONSTANT: _Writer._fixed,
    CAPTURE: _Writer._fixed,
    READ: _Writer._read,
    ASSIGN: _Writer._assign,
    PYTHON: _Writer._called,
    CONDITION: _Writer._with_regions,
    LOOP: _Writer._with_regions,
    CALL: _Writer._with_regions,
}


def _moved(tensor: Any, backend: Backend) -> Any:
    host = tensor._host()
    return backend.from_host(host) if backend.takes(host.dtype) else host


def _last_uses(program: Program) -> dict[int, list[SymbolicTensor]]:
    """For each node, by its number, the tensors that nothing after it needs."""
    kept = {id(tensor) for tensor in program.outputs}
    last: dict[int, tuple[int, SymbolicTensor]] = {}
    for node in program.nodes:
        for tensor in (*taken(node), *node.outputs):
            last[id(tensor)] = (node.number, tensor)
    uses: dict[int, list[SymbolicTensor]] = {}
    for key, (number, tensor) in last.items():
        if key not in kept:
            uses.setdefault(number, []).append(tensor)
    return uses
