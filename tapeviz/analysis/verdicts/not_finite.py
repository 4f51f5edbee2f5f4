"""NaN and infinity, where they come from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tapeviz.analysis.graph import Graph
from tapeviz.analysis.nonfinite.origins import nonfinite
from tapeviz.analysis.verdicts.verdict import FAULT, WORTH_KNOWING, Rule, Thresholds, Verdict

__all__ = ["NOT_FINITE"]


def _not_finite(graph: Graph, _: Thresholds) -> Iterator[Verdict]:
    """Where they come from; of what came in like this the first on each line."""
    came_in = set[int]()
    for found in nonfinite(graph.recording):
        if found.event < 0 and found.site_row in came_in:
            continue
        came_in.update([found.site_row] if found.event < 0 else [])
        evidence = {"op": found.op, "phase": found.phase, "index": list(found.index), "value": found.value,
                    "partner": found.partner, "pattern": found.pattern, "harmless": found.harmless, "kind": found.kind,
                    "count": found.count, "times": found.times}  # fmt: skip
        severity = WORTH_KNOWING if found.harmless else FAULT
        text = found.sentence.removesuffix(".")
        yield Verdict(
            "nonfinite", severity, found.event, found.tensor, found.site, text, found.fix, evidence, found.site_row
        )


NOT_FINITE: Final = Rule(_not_finite, {"nonfinite": "NaN or infinity"}, "values", by_statistics=True)
