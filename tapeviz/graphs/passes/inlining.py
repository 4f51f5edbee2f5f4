"""Inline: the nodes of a called graph instead of the call, where they can be seen by the other passes."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.graphs.ir.liveness import needed
from tapeviz.graphs.ir.special_nodes import CALL
from tapeviz.graphs.passes.plan import Plan, Step, renumbered

__all__ = ["inline"]

_DEEPEST: Final = 16
_MOST: Final = 20_000


def inline(plan: Plan) -> str:
    """Put the steps of called graphs in the place of the calls, calls inside them too."""
    found = 0
    for _ in range(_DEEPEST):
        calls = sum(_is_call(step) for step in plan.steps)
        if not calls or len(plan.steps) > _MOST:
            break
        now: dict[int, Any] = {}
        steps: list[Step] = []
        for step in plan.steps:
            steps += _opened(plan, step, now) if _is_call(step) else [step]
        plan.steps = steps
        plan.substitute(_followed(now))
        found += calls
    if found:
        plan.sweep()
    return f"{found} calls were replaced by the nodes of the called graphs." if found else "No calls to replace."


def _is_call(step: Step) -> bool:
    return step.op is CALL and getattr(step.attrs["run"], "routine", None) is not None


def _followed(now: dict[int, Any]) -> dict[int, Any]:
    """Replacements followed to their end: a called graph may give back what another call gives."""
    found = {}
    for key, value in now.items():
        last = value
        while (after := now.get(id(last))) is not None:
            last = after
        found[key] = last
    return found


def _opened(plan: Plan, call: Step, now: dict[int, Any]) -> list[Step]:
    """The steps of a called graph with values of this plan, one set for each call."""
    run = call.attrs["run"]
    graph, outputs = run.routine.graph, list(run.inner)
    own: dict[int, Any] = {id(inner): outer for inner, outer in zip(run.routine.inputs, call.inputs, strict=True)}

    def swap(tensor: Any) -> Any:
        return own[id(tensor)]

    steps = []
    for node in needed(graph, outputs, effects=True):
        if any(id(tensor) in own for tensor in node.outputs):
            continue
        inputs = tuple([own[id(tensor)] for tensor in node.inputs])
        attrs = renumbered(node.attrs, swap)
        made = []
        for tensor in node.outputs:
            shape = tensor._a._shape
            value = own[id(tensor)] = plan.value(shape, tensor._a.dtype)
            value._a._shape = renumbered(shape, swap)
            made.append(value)
        steps.append(Step(node, node.op, inputs, attrs, tuple(made)))
    for outer, inner in zip(call.outputs, outputs, strict=True):
        now[id(outer)] = own[id(inner)]
    plan.settle(call.node, "inlined")
    return steps
