"""Blocks that ran on another device than the one asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tapeviz.analysis.graph import Graph
from tapeviz.analysis.placement import elsewhere
from tapeviz.analysis.verdicts.verdict import WORTH_KNOWING, Rule, Thresholds, Verdict, verdict_at

__all__ = ["SOFT_PLACEMENT"]


def _placed(graph: Graph, _: Thresholds) -> Iterator[Verdict]:
    """Blocks that asked for a device that is not there. What they computed is right, so it is no fault."""
    for found in elsewhere(graph):
        yield verdict_at(
            graph, found.row, "soft_placement", WORTH_KNOWING, found.says, found.fix, evidence=found.figures
        )


SOFT_PLACEMENT: Final = Rule(_placed, {"soft_placement": "devices that are not there"}, "devices")
