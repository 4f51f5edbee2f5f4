"""Gradients that are None."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from tapeviz.analysis.graph import Graph
from tapeviz.analysis.links import rows_of
from tapeviz.analysis.verdicts.verdict import FAULT, LIKELY, Rule, Thresholds, Verdict
from tapeviz.analysis.why.explanation import answer
from tapeviz.analysis.why.questions import of_request

__all__ = ["MISSING_GRADIENTS"]

_LONGEST: Final = 400


def _missing(graph: Graph, _: Thresholds) -> Iterator[Verdict]:
    """Sources without a gradient; the same source asked again from the same line is one finding.

    Where zeros were asked for in the place of None, it was known.
    """
    requests, events = graph.recording.requests, graph.recording.events
    spans = rows_of(events.id, requests.event)
    order = np.arange(len(requests))
    first = np.maximum.accumulate(np.where(np.diff(requests.event, prepend=-2) != 0, order, 0)) if len(order) else order
    groups: dict[tuple[int, ...], list[int]] = {}
    for row in np.flatnonzero((requests.gradient < 0) & (requests.filled == 0)).tolist():
        site = int(events.site[spans[row]]) if spans[row] >= 0 else -1
        groups.setdefault((site, row - int(first[row]), int(requests.variable[row])), []).append(row)
    for rows in groups.values():
        found = answer(of_request(graph, rows[-1]))
        if found.reason is None:
            continue
        probably = "" if found.certain else "probably "
        often = f" ({len(rows):,} times)" if len(rows) > 1 else ""
        gap = found.gap or {}
        evidence = {"reason": found.reason, "certain": found.certain, "from_source": _ends(found.from_source),
                    "from_target": _ends(found.from_target), "gap": gap, "times": len(rows)}  # fmt: skip
        severity = LIKELY if found.reason == "unconnected" else FAULT
        text = f"{found.source}: gradient of {found.target} is None{often}, {probably}because {found.says}"
        yield Verdict(
            "gradient_none", severity, gap.get("event", -1), found.source_id, found.site, text, found.fix, evidence,
            found.site_row,
        )  # fmt: skip


def _ends(way: Sequence[int]) -> list[int]:
    """A way, without its middle where it is longer than anybody looks at."""
    return list(way) if len(way) <= _LONGEST else [*way[: _LONGEST // 2], *way[-_LONGEST // 2 :]]


MISSING_GRADIENTS: Final = Rule(
    _missing,
    {"gradient_none": "gradients that are None"},
    "gradients",
    applies=lambda recording: len(recording.requests) > 0,
)
