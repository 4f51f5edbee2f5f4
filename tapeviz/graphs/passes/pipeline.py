"""The passes in their order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

from tapeviz.graphs.passes.common_subexpressions import merge
from tapeviz.graphs.passes.constant_folding import fold
from tapeviz.graphs.passes.dead_code import prune
from tapeviz.graphs.passes.decomposition import lower
from tapeviz.graphs.passes.fusion import fuse
from tapeviz.graphs.passes.horizontal_fusion import pack
from tapeviz.graphs.passes.inlining import inline
from tapeviz.graphs.passes.plan import Pass, Plan
from tapeviz.graphs.passes.simplification import simplify

if TYPE_CHECKING:
    from tapeviz.graphs.ir.graph import Graph, Node

__all__ = ["PASSES", "planned"]

PASSES: Final[dict[str, Callable[[Plan], str]]] = {
    "prune": prune, "inline": inline, "fold": fold, "simplify": simplify, "lower": lower, "merge": merge,
    "fuse": fuse, "pack": pack,
}  # fmt: skip
"""The passes by their names, in their order: simplifying sees what folding made, merging what is left."""


def planned(
    graph: Graph, outputs: Sequence[Any], inputs: Sequence[Any], nodes: Sequence[Node], passes: Sequence[str]
) -> Plan:
    """The plan for a run of some nodes of a graph, after these passes."""
    plan = Plan(graph, outputs, inputs, nodes)
    for name in passes:
        before, t0 = plan.count(), perf_counter()
        text = PASSES[name](plan)
        plan.passes.append(Pass(name, perf_counter() - t0, before, plan.count(), text))
    return plan
