"""Prune: steps that no output needs are left out."""

from __future__ import annotations

from tapeviz.graphs.passes.plan import Plan

__all__ = ["prune"]


def prune(plan: Plan) -> str:
    """Leave out what is not needed for the outputs and has no effects."""
    running = {step.node for step in plan.steps}
    for node in plan.graph.nodes:
        if node not in running and not any(node is tensor._node for tensor in plan.inputs):
            plan.settle(node, "pruned")
    plan.sweep()
    total = len(plan.graph.nodes) - len(plan.inputs)
    gone = total - len(plan.steps)
    return f"{gone} of {total} nodes are not needed for the outputs." if gone else "Every node is needed."
