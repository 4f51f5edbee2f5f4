"""NaN and infinity, where they come from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tapeviz.analysis.graph import Graph
from tapeviz.analysis.nonfinite.origins import nonfinite
from tapeviz.analysis.training import training_of
from tapeviz.analysis.verdicts.verdict import FAULT, WORTH_KNOWING, Rule, Thresholds, Verdict

__all__ = ["NOT_FINITE"]


def _not_finite(graph: Graph, _: Thresholds) -> Iterator[Verdict]:
    """Where they come from; of what came in like this the first on each line."""
    came_in, serious = set[int](), False
    backward = {graph.site(stores[0]) for stores in training_of(graph).stores.values()}
    for found in nonfinite(graph.recording):
        if found.event < 0 and found.site_row in came_in:
            continue
        came_in.update([found.site_row] if found.event < 0 else [])
        evidence = {"op": found.op, "phase": found.phase, "index": list(found.index), "value": found.value,
                    "partner": found.partner, "pattern": found.pattern, "harmless": found.harmless, "kind": found.kind,
                    "count": found.count, "times": found.times}  # fmt: skip
        # The gradients of a session are ops of the optimizer's line: they only repeat what was so before.
        follows = serious and found.site_row in backward
        severity = WORTH_KNOWING if found.harmless or follows else FAULT
        serious = serious or not found.harmless
        text = found.sentence.removesuffix(".")
        yield Verdict(
            "nonfinite", severity, found.event, found.tensor, found.site, text, found.fix, evidence, found.site_row
        )


NOT_FINITE: Final = Rule(_not_finite, {"nonfinite": "NaN or infinity"}, "values", by_statistics=True)
