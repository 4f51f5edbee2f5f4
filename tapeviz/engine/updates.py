"""The change of a variable and of what is kept for it by one formula; large ones a block at a time, on all cores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeviz.backends import NUMPY
from tapeviz.backends.blocks import LARGE, are_alike, are_floating, into_blocks
from tapeviz.backends.silence import run_silently
from tapeviz.engine.formulas import steps_of
from tapeviz.engine.kernels import raw_ops, recorded_ops
from tapeviz.engine.state import active
from tapeviz.engine.tensor import EagerTensor, wrap
from tapeviz.engine.variable import Variable

__all__ = ["Formula", "update"]

Formula = Callable[..., Sequence[Any]]
"""Of ops by name, a gradient, the values of variables and shared numbers, it makes the variables' next values."""


def update(formula: Formula, gradient: Any, variables: Sequence[Variable], numbers: Sequence[Any] = ()) -> None:
    """Give variables of one shape what an elementwise formula makes of them.

    The formula is called with tensors and the ops that everybody sees, or, where nobody watches and there are many
    elements, with arrays of a block after the other: what its steps make of one stays in the processor's cache.

    Args:
        formula: takes ops by name, the gradient, the value of each variable, and the numbers; gives a value for each.
        gradient: a tensor of the variables' shape and dtype.
        variables: what is changed, in the order of what the formula gives.
        numbers: what is the same for all elements: Python's numbers, and tensors of rank 0.
    """
    values = [variable._read() for variable in variables]
    made = None
    if gradient.__class__ is EagerTensor and gradient._a.size >= LARGE and not active:
        made = _in_blocks(formula, gradient, values, numbers)
    for variable, value in zip(variables, made or formula(recorded_ops, gradient, *values, *numbers), strict=True):
        variable.assign(value, read_value=False)


def _in_blocks(
    formula: Formula, gradient: EagerTensor, values: Sequence[EagerTensor], numbers: Sequence[Any]
) -> list[EagerTensor] | None:
    """The same of arrays in blocks; None where they do not lie alike in the host's memory."""
    arrays = [gradient._a, *(value._a for value in values)]
    dtype = arrays[0].dtype
    if not (are_alike(*arrays) and are_floating(*arrays)):
        return None
    plain = [number._a if number.__class__ is EagerTensor else number for number in numbers]
    if any(getattr(number, "dtype", dtype) != dtype for number in plain):
        return None
    F, results = raw_ops(NUMPY), [NUMPY.xp.empty(arrays[0].shape, dtype) for _ in values]

    def compute(*blocks: Any) -> None:
        given, outputs = blocks[: len(arrays)], blocks[len(arrays) :]
        for output, made in zip(outputs, formula(F, *given, *plain), strict=True):
            output[...] = made

    if (steps := steps_of(formula, F, len(arrays), plain)) is not None:
        run_silently(steps.run, arrays, results)
    else:
        run_silently(into_blocks, compute, *arrays, *results)
    return [wrap(result) for result in results]
