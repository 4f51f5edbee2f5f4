"""Fold: what depends on constants alone is computed once, now."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapeviz.backends import NUMPY, backend_of
from tapeviz.backends.silence import run_silently
from tapeviz.engine.complex_bfloat16 import widened
from tapeviz.engine.dispatch import computes
from tapeviz.engine.kernels import kernel_of
from tapeviz.engine.tensor import wrap
from tapeviz.engine.types import BFLOAT16
from tapeviz.graphs.ir.special_nodes import CAPTURE, CONSTANT
from tapeviz.graphs.passes.label_gather import picked
from tapeviz.graphs.passes.plan import PICK, Plan, Step, is_pure, shape_of

if TYPE_CHECKING:
    from tapeviz.graphs.ir.graph import Node

__all__ = ["HostKernel", "constants_of", "fold", "kernel_for"]

_MOST_BYTES: Final = 1 << 20


def kernel_for(step: Step | Node, backend: Any) -> Any:
    """The function that computes a step, or a node, on arrays; on the host what the device has no dtype for."""
    if step.op is PICK:
        return picked
    dtypes = [value._a.dtype for value in (*step.inputs, *step.outputs)]
    here = backend if all(map(backend.takes, dtypes)) else NUMPY
    kernel = kernel_of(step.op, here)
    if computes(step.op) and BFLOAT16 in dtypes:
        kernel = widened(kernel)
    return kernel if here is backend else HostKernel(kernel, backend, many=step.op.many)


class HostKernel:
    """A kernel of the host in a program of a device, which has no such dtype: strings, say.

    Args:
        kernel: it.
        backend: the device, to which the results go that it can take.
        many: whether there are several results.
    """

    def __init__(self, kernel: Any, backend: Any, *, many: bool) -> None:
        self._kernel = kernel
        self._backend = backend
        self._many = many

    def __call__(self, *arrays: Any, **attrs: Any) -> Any:
        """The results, each where it can be."""
        found = self._kernel(*[backend_of(array).to_host(array) for array in arrays], **attrs)
        return [self._placed(part) for part in found] if self._many else self._placed(found)

    def _placed(self, result: Any) -> Any:
        array, backend = NUMPY.as_array(result), self._backend
        return backend.from_host(array) if backend.takes(array.dtype) else array


def constants_of(plan: Plan) -> dict[int, Any]:
    """The arrays of the values that are constants, by the values' identity."""
    return {
        id(step.outputs[0]): step.attrs["tensor"]._a
        for step in plan.steps
        if step.op in (CONSTANT, CAPTURE) and step.attrs["tensor"]._backend is NUMPY
    }


def fold(plan: Plan) -> str:
    """Replace steps whose inputs are all constants, and that draw no random numbers, by what they give."""
    known = constants_of(plan)
    folded = 0
    steps: list[Step] = []
    for step in plan.steps:
        results = _computed(step, known)
        if results is None:
            steps.append(step)
            continue
        folded += 1
        plan.settle(step.node, "folded", step.node)
        for value, array in zip(step.outputs, results, strict=True):
            known[id(value)] = array
            steps.append(Step(step.node, CONSTANT, (), {"tensor": wrap(array)}, (value,)))
    plan.steps = steps
    if folded:
        plan.sweep("folded")
    return (
        f"{folded} nodes had constants as inputs and were computed once." if folded else "No nodes of constants alone."
    )


def _computed(step: Step, known: dict[int, Any]) -> list[Any] | None:
    if not is_pure(step) or step.op in (CONSTANT, CAPTURE) or step.open or step.op.family == "variable":
        return None
    if "shape_only" in step.op.traits and (stands := _stand_ins(step)) is not None:
        known = stands
    elif any(id(value) not in known for value in step.inputs):
        return None
    if not all(map(_is_small, step.outputs)):
        return None
    found: Any = None
    # What fails has to fail when it runs.
    with contextlib.suppress(Exception):
        found = run_silently(kernel_for(step, NUMPY), *[known[id(value)] for value in step.inputs], **step.attrs)
    if found is None:
        return None
    return [np.ascontiguousarray(part).reshape(np.shape(part)) for part in (found if step.op.many else (found,))]


def _stand_ins(step: Step) -> dict[int, Any] | None:
    """Arrays of the inputs' shapes and dtypes, which take no memory; None where those are not known."""
    shapes = [shape_of(value) for value in step.inputs]
    if None in shapes:
        return None
    return {
        id(value): np.broadcast_to(np.zeros((), value._a.dtype), shape or ())
        for value, shape in zip(step.inputs, shapes, strict=True)
    }


def _is_small(value: Any) -> bool:
    shape = shape_of(value)
    return shape is not None and value._a.nbytes <= _MOST_BYTES
