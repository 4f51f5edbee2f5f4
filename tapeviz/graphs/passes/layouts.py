"""Which values do not lie in memory row by row.

NumPy gives the result of an elementwise op the order that the op's operands have in memory, and it sums in that order.
So what comes from a transposed array stays out of buffers, which lie row by row: a sum of it would be rounded in
another order than the eager one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tapeviz.graphs.passes.plan import Step
from tapeviz.ops.declarations import reverse, transpose

__all__ = ["backward_values", "turned_values"]


def turned_values(steps: Iterable[Step]) -> set[int]:
    """The values, by their identity, that are transposed or may have taken over a transposed operand's order."""
    found: set[int] = set()
    for step in steps:
        if "contiguous" in step.op.traits:
            continue
        if step.op is transpose or not found.isdisjoint(map(id, step.inputs)):
            found.update(map(id, step.outputs))
    return found


def backward_values(steps: Iterable[Step]) -> set[int]:
    """The values, by their identity, that may lie backwards: NumPy has other loops for those, which round otherwise."""
    found: set[int] = set()
    for step in steps:
        shares = step.op.shared_input(len(step.inputs)) >= 0 or "lies_like_input" in step.op.hints
        passed = shares and not found.isdisjoint(map(id, step.inputs))
        if passed or step.op is reverse or step.attrs.get("reverse") or _steps_back(step.attrs.get("key")):
            found.update(map(id, step.outputs))
    return found


def _steps_back(key: Any) -> bool:
    parts = key if key.__class__ is tuple else ()
    steps = [part.step for part in parts if part.__class__ is slice and part.step is not None]
    return any(step.__class__ is not int or step < 0 for step in steps)
