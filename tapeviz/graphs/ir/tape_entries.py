"""How tapes follow steps of a graph that are no ops: what is taken from outside, and nodes with graphs inside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from tapeviz.engine.state import local
from tapeviz.engine.types import DIFFERENTIABLE

__all__ = ["PASSED", "follow", "pass_on"]


class _Passed:
    """Stands where an op does in a tape's entry: a tensor from outside a graph, and what stands for it inside."""

    name = "capture"
    contributes_to_all = False

    def step_tensors(self, _ops: Any, upstream: Any, _ins: Any, _saved: Any) -> list[Any]:
        """The gradient as it is."""
        return [upstream]


PASSED: Final = _Passed()


def pass_on(outside: Any, inside: Any) -> None:
    """Have the tapes that follow a tensor of another graph follow what stands for it in this one."""
    for tape in local.state.tapes:
        if outside._id in tape._tracked and inside._id not in tape._tracked:
            tape._tracked.add(inside._id)
            tape._append((PASSED, inside._id, (outside._id,), (), None))


def follow(
    step: Any, sources: Sequence[Any], outputs: Sequence[Any], tapes: Sequence[Any] | None = None, specs: Any = None
) -> list[Any]:
    """Have the tapes that trace follow outputs of a node that depend on ``sources``; those that do are given back.

    Args:
        step: stands where an op does in the entry.
        sources: tensors that the node takes.
        outputs: tensors that it gives.
        tapes: which tapes; those of now unless said otherwise, and then whoever asks by something else later.
        specs: what the entry keeps of the outputs' shapes and dtypes.
    """
    if tapes is None and outputs:
        outputs[0]._node._steps += ((step, tuple(sources), tuple(outputs), specs),)
    made = tuple(tensor._id for tensor in outputs)
    told = []
    for tape in local.state.tapes if tapes is None else tapes:
        ins = tuple(tensor._id if tensor._id in tape._tracked else 0 for tensor in sources)
        if any(ins):
            tape._tracked.update(tensor._id for tensor in outputs if tensor._a.dtype in DIFFERENTIABLE)
            tape._append((step, made, ins, (), specs))
            told.append(tape)
    return told
