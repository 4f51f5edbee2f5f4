"""Steps of a plan by the rules of their ops: whether there is one, the buffers, the calls, the machine code."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from tapeviz.backends import NUMPY
from tapeviz.engine.declaration import Op, Ufunc
from tapeviz.engine.kernels import kernel_of
from tapeviz.engine.types import BFLOAT16
from tapeviz.graphs.lowering import elementwise, labels, reductions
from tapeviz.graphs.lowering.rule import LOWERINGS, Buffers, CallWriter, Lowered, Operand, element, together
from tapeviz.graphs.native.library_calls import Mapped
from tapeviz.graphs.passes.plan import Step
from tapeviz.graphs.passes.runtime_sizes import Sizes
from tapeviz.native.lanes import inlined

__all__ = ["RULES", "can_write", "is_one_call", "lowered", "scratch_of", "written"]

RULES: Final = (elementwise, labels, reductions)
"""Importing these registers the rules."""
_KEYWORD: Final = frozenset((np.maximum, np.minimum, np.fmax, np.fmin))


def can_write(step: Step, sizes: Sizes) -> bool:
    """Whether a step can be told where to put its result, and the place can be prepared."""
    if step.op.many or step.open or step.op.effects:
        return False
    ufunc, rule = _ufunc_of(step.op), LOWERINGS.get(step.op)
    if ufunc is None and rule is None:
        return False
    for value in (*step.inputs, *step.outputs):
        if sizes.of(value) is None or value._a.dtype == BFLOAT16:
            return False
    return ufunc is not None or (rule is not None and rule.fits(step, sizes))


def is_one_call(step: Step) -> bool:
    """Whether a step is one call of a ufunc."""
    return _ufunc_of(step.op) is not None


def scratch_of(step: Step, sizes: Sizes) -> Buffers:
    """The buffers that a step needs while it runs."""
    rule = LOWERINGS.get(step.op)
    return [] if rule is None else rule.scratch(step, sizes)


def written(writer: CallWriter, step: Step, out: str) -> list[str]:
    """Lines that compute a step into ``out``."""
    function = _ufunc_of(step.op)
    if function is None:
        return LOWERINGS[step.op].calls(writer, step, out)
    where = f"out={out}" if function in _KEYWORD else out
    inputs = ", ".join(map(writer.name, step.inputs))
    return [f"{writer.constant(function, 'k')}({inputs}, {where})"]


def lowered(step: Step, operands: list[Operand], out: Operand) -> list[Lowered] | None:
    """The machine code of a step that writes its result to a place, None where there is none."""
    ufunc = _ufunc_of(step.op)
    if ufunc is None:
        rule = LOWERINGS.get(step.op)
        return None if rule is None else rule.code(step, operands, out)
    places = [place for _, place in operands]
    found = element(inlined(ufunc, [place.dtype for place in places]), step, operands, out)
    return [found] if found is not None else together(Mapped.of(ufunc, places, out[1]))


@cache
def _ufunc_of(op: Any) -> Any:
    """The ufunc that is all of an op, None where there is none."""
    if not isinstance(op, Op) or not isinstance(op.forward, Ufunc):
        return None
    kernel = kernel_of(op, NUMPY)
    return kernel if isinstance(kernel, np.ufunc) and kernel.nout == 1 else None
