"""What can only be done when a graph runs: Python on eager tensors as nodes, with gradients by a tape at run time.

Most gradients are nodes that a rule makes while tracing. Two kinds are not: those of Python functions, and those of
ops whose rules go by sizes (a loop over halves of an axis) that are not known while tracing. Such a gradient is a node
that runs the function once more, under a tape.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from tapeviz.engine.declaration import Op
from tapeviz.engine.deferred_numbers import deferred_in, has_deferred, replaced
from tapeviz.engine.dispatch import record_on_tapes
from tapeviz.engine.operators import public
from tapeviz.engine.rules import elementwise
from tapeviz.engine.state import local
from tapeviz.engine.tape import GradientTape
from tapeviz.engine.types import DIFFERENTIABLE
from tapeviz.ops.declarations import einsum

__all__ = ["PythonStep", "follow_python", "record"]

_INT64: Final = np.dtype(np.int64)


def record(op: Op, tensors: Sequence[Any], output: Any, attrs: dict[str, Any]) -> None:
    """Have the tapes that trace follow an op: by its gradient rule, or by a tape at run time where that cannot work."""
    outputs = output if op.many else (output,)
    if not _at_run_time(op, tensors, outputs, attrs):
        record_on_tapes(op, tuple(tensors), output, attrs)
        return
    numbers = list({id(number): number for number in deferred_in(attrs)}.values())
    places = {id(number): place for place, number in enumerate(numbers)}
    made = [public["number"](number, _INT64) for number in numbers]
    count = len(tensors)

    def run(*given: Any) -> Any:
        values = [int(tensor._host()) for tensor in given[count:]]
        return op.run(*given[:count], **replaced(attrs, lambda number: values[places[id(number)]]))

    follow_python(run, [*tensors, *made], outputs, op.name)


def _at_run_time(op: Op, tensors: Sequence[Any], outputs: Sequence[Any], attrs: dict[str, Any]) -> bool:
    shapes = [tensor._a._shape for tensor in (*tensors, *outputs)]
    if None in shapes:
        return op.infer is not elementwise
    # Axes under an ellipsis may be stretched: a plan for the gradient has to know which.
    decides = "sized_gradient" in op.traits or (op is einsum and "..." in attrs["equation"])
    return (decides and has_deferred(shapes)) or has_deferred(attrs.get("axis"))


def follow_python(run: Callable[..., Any], inputs: Sequence[Any], outputs: Sequence[Any], name: str) -> None:
    """Have the tapes that trace follow what ``run`` gives for these inputs."""
    if not any(tensor._a.dtype in DIFFERENTIABLE for tensor in outputs):
        return
    step = PythonStep(run, tuple(inputs), len(outputs), name)
    made = tuple(tensor._id for tensor in outputs)
    if outputs[0]._node.op.tf_name == "EagerPyFunc":
        outputs[0]._node._steps += ((step, tuple(inputs), tuple(outputs), None),)
    for tape in local.state.tapes:
        ins = tuple(tensor._id if tensor._id in tape._tracked else 0 for tensor in inputs)
        if any(ins):
            tape._tracked.update(made)
            tape._append((step, made, ins, (), None))


class PythonStep:
    """Stands where an op does in the entry of a tape that traces: Python that will run on eager tensors."""

    contributes_to_all = False

    def __init__(self, run: Callable[..., Any], inputs: tuple[Any, ...], count: int, name: str) -> None:
        self.name = name
        self._run = run
        self._inputs = inputs
        self._count = count

    def step_tensors(self, _ops: Any, upstream: Any, ins: Any, _saved: Any) -> list[Any]:
        """A node that runs the function under a tape."""
        present = [place for place, gradient in enumerate(upstream) if gradient is not None]
        wanted = [
            place for place, number in enumerate(ins) if number and self._inputs[place]._a.dtype in DIFFERENTIABLE
        ]
        backward = _Backward(self._run, len(self._inputs), present, wanted)
        forms = [(_open(self._inputs[place]), self._inputs[place]._a.dtype) for place in wanted]
        given = [*self._inputs, *(upstream[place] for place in present)]
        graph = local.state.graph or self._inputs[0].graph
        made = graph.python(backward, given, forms, f"{self.name}_gradient", differentiable=True)
        found: list[Any] = [None] * len(ins)
        for place, gradient in zip(wanted, made, strict=True):
            found[place] = gradient
        return found


class _Backward:
    """The gradient of a Python function, as a Python function of its inputs and what arrived at its outputs."""

    def __init__(self, run: Callable[..., Any], count: int, present: list[int], wanted: list[int]) -> None:
        self._run = run
        self._count = count
        self._present = present
        self._wanted = wanted

    def __call__(self, *given: Any) -> list[Any]:
        """The gradients of the inputs wanted; zeros where there is none."""
        inputs, upstream = given[: self._count], list(given[self._count :])
        sources = [inputs[place] for place in self._wanted]
        with GradientTape() as tape:
            tape.watch(sources)
            result = self._run(*inputs)
        results = list(result) if isinstance(result, (list, tuple)) else [result]
        targets = [results[place] for place in self._present]
        found = tape.gradient(targets, sources, output_gradients=upstream, unconnected_gradients="zero")
        return list(found)


def _open(tensor: Any) -> Any:
    shape = tensor.shape
    return None if shape.rank is None else tuple(shape.dims or ())
