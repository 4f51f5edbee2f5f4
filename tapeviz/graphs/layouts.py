"""Which values do not lie in memory row by row.

NumPy gives the result of an elementwise op the order that the op's operands have in memory, and it sums in that order.
So what comes from a transposed array stays out of buffers, which lie row by row: a sum of it would be rounded in
another order than the eager one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tapeviz.graphs.passes.plan import Step

__all__ = ["turned_values"]


def turned_values(steps: Iterable[Step]) -> set[int]:
    """The values, by their identity, that are transposed or may have taken over a transposed operand's order."""
    found: set[int] = set()
    for step in steps:
        if step.op.name == "matmul":  # its results are always new and row by row
            continue
        if step.op.name == "transpose" or not found.isdisjoint(map(id, step.inputs)):
            found.update(map(id, step.outputs))
    return found
