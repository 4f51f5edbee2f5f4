"""Findings that follow from another: they stay, as worth knowing, below their cause."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from tapeviz.analysis.graph import Graph
from tapeviz.analysis.verdicts.verdict import WORTH_KNOWING, Verdict

__all__ = ["without_consequences"]

_FOLLOW: Final = {"nonfinite", "exploding", "vanishing", "not_learning", "precision"}


def without_consequences(graph: Graph, found: Iterable[Verdict]) -> Iterator[Verdict]:
    """Findings, with those about sizes lowered that come after a loss began to grow or a mean left 0."""
    verdicts = list(found)
    begins = [verdict.evidence["begins"] for verdict in verdicts if "begins" in verdict.evidence]
    zeros = [verdict.evidence["zeros"] for verdict in verdicts if "zeros" in verdict.evidence]
    for verdict in verdicts:
        if zeros and verdict.kind == "vanishing" and _event(graph, verdict) >= min(zeros):
            yield replace(verdict, severity=WORTH_KNOWING, text=f"{verdict.text}; a mean of one element left 0 before")
        elif begins and verdict.kind in _FOLLOW and _event(graph, verdict) >= min(begins):
            yield replace(verdict, severity=WORTH_KNOWING, text=f"{verdict.text}; the loss had begun to grow before")
        else:
            yield verdict


def _event(graph: Graph, verdict: Verdict) -> int:
    """The event of a finding; for a tensor that came in, the first one that read it."""
    if verdict.event >= 0 or verdict.tensor < 0:
        return verdict.event
    row = int(graph.links.tensor_rows(np.array([verdict.tensor]))[0])
    return min((graph.event_id(event) for event in graph.readers[row]), default=-1)
