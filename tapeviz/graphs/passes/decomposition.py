"""Lower: softmax and the losses by it as the steps that their kernels make, so that what they share is computed once.

The cross entropy of a model and its gradient both need ``exp(x - max(x))`` and its sum. The steps are those of the
kernels, in their order: results stay equal to the bit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tapeviz.graphs.passes.plan import PICK, Plan, Step, shape_of
from tapeviz.ops import declarations as ops

__all__ = ["lower"]

_FLOATS: Final = frozenset(("float16", "float32", "float64"))


def lower(plan: Plan) -> str:
    """Replace steps by those that they consist of, where all sizes are known."""
    steps: list[Step] = []
    found = 0
    for step in plan.steps:
        rule = _RULES.get(step.op)
        if rule is None or not _is_plain(step):
            steps.append(step)
            continue
        parts = _Parts(plan, step)
        rule(parts, step)
        steps += parts.steps
        plan.partial.add(step.node)
        found += 1
    plan.steps = steps
    return f"{found} nodes are computed in smaller steps." if found else "No node consists of smaller steps."


def _is_plain(step: Step) -> bool:
    logits = step.inputs[-1]
    shape = shape_of(logits)
    return bool(shape) and 0 not in (shape or ()) and not step.open and logits._a.dtype.name in _FLOATS


class _Parts:
    """The steps that one is replaced by."""

    def __init__(self, plan: Plan, whole: Step) -> None:
        self._plan = plan
        self._whole = whole
        self.steps: list[Step] = []

    def add(self, op: Any, *inputs: Any, shape: Any, out: Any = None, **attrs: Any) -> Any:
        """One step; its result, which is ``out`` where that is given."""
        made = self._plan.value(shape, inputs[-1]._a.dtype) if out is None else out
        self.steps.append(Step(self._whole.node, op, inputs, attrs, (made,)))
        return made

    def exponentials(self, x: Any, axis: int) -> tuple[Any, Any, Any]:
        """``x - max(x)``, the exponential of it, and the sum of that."""
        shape = shape_of(x) or ()
        axis %= len(shape)
        kept = {"axis": (axis,), "keepdims": True}
        short = tuple(1 if place == axis else size for place, size in enumerate(shape))
        below = self.add(ops.subtract, x, self.add(ops.reduce_max, x, shape=short, **kept), shape=shape)
        powers = self.add(ops.exp, below, shape=shape)
        return below, powers, self.add(ops.reduce_sum, powers, shape=short, **kept)


def _softmax(parts: _Parts, step: Step) -> None:
    _, powers, total = parts.exponentials(step.inputs[0], step.attrs["axis"])
    parts.add(ops.divide, powers, total, shape=None, out=step.outputs[0])


def _log_softmax(parts: _Parts, step: Step) -> None:
    _log_shares(parts, step.inputs[0], step.attrs["axis"], step.outputs[0])


def _log_shares(parts: _Parts, x: Any, axis: int, out: Any) -> Any:
    below, _, total = parts.exponentials(x, axis)
    logarithm = parts.add(ops.log, total, shape=shape_of(total))
    return parts.add(ops.subtract, below, logarithm, shape=shape_of(x), out=out)


def _sparse_loss(parts: _Parts, step: Step) -> None:
    labels, logits = step.inputs
    shares = _log_shares(parts, logits, -1, None)
    parts.add(PICK, labels, shares, shape=None, out=step.outputs[0])


_RULES: Final[dict[Any, Callable[[_Parts, Step], None]]] = {
    ops.softmax: _softmax,
    ops.log_softmax: _log_softmax,
    ops.sparse_softmax_cross_entropy_with_logits: _sparse_loss,
}
