"""Gradients that are None."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from tapeviz.analysis.graph import Graph
from tapeviz.analysis.links import rows_of
from tapeviz.analysis.verdicts.verdict import FAULT, LIKELY, Rule, Thresholds, Verdict
from tapeviz.analysis.why.explanation import Answer, answer
from tapeviz.analysis.why.questions import of_request

__all__ = ["MISSING_GRADIENTS"]

_LONGEST: Final = 400
_NAMED: Final = 4


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
    outside: dict[int, list[Answer]] = {}
    for rows in groups.values():
        found = answer(of_request(graph, rows[-1]))
        if found.reason is None:
            continue
        if found.reason == "outside_tape" and (call := _call(graph, found, int(spans[rows[-1]]))) >= 0:
            outside.setdefault(call, []).append(found)
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

    yield from (_called_outside(graph, call, missing) for call, missing in outside.items())


def _call(graph: Graph, found: Answer, request: int) -> int:
    """The outermost call of a layer, a row of its span, in which an op ran outside the tape; -1 for none."""
    parent, spans = graph.links.parent, graph.links.spans
    event = int(rows_of(graph.recording.events.id, np.array([(found.gap or {}).get("event", -1)]))[0])
    around, call = set[int](), -1
    while request >= 0:
        around.add(request)
        request = int(parent[request])
    while event >= 0 and event not in around:
        call = event if spans.get(event, ("",))[0] == "layer" else call
        event = int(parent[event])
    return call


def _called_outside(graph: Graph, call: int, missing: Sequence[Answer]) -> Verdict:
    """One finding for all that a model, called outside the tape, computed from."""
    first, names = missing[0], [found.source for found in missing]
    some = ", ".join(names[:_NAMED]) + ", ..." * (len(names) > _NAMED)
    gradients = f"{len(names)} gradients of {first.target} are" if len(names) > 1 else f"gradient of {first.target} is"
    says = f"{graph.op(call)} was called outside the tape's with block"
    gap = {**(first.gap or {}), "event": graph.event_id(call)}
    evidence = {"reason": first.reason, "certain": first.certain, "from_source": _ends(first.from_source),
                "from_target": _ends(first.from_target), "gap": gap, "times": 1,
                "sources": [found.source_id for found in missing]}  # fmt: skip
    text, site = f"{some}: {gradients} None, because {says}", graph.site(call)
    return Verdict(
        "gradient_none", FAULT, gap["event"], first.source_id, graph.place(site), text, first.fix, evidence, site
    )


def _ends(way: Sequence[int]) -> list[int]:
    """A way, without its middle where it is longer than anybody looks at."""
    return list(way) if len(way) <= _LONGEST else [*way[: _LONGEST // 2], *way[-_LONGEST // 2 :]]


MISSING_GRADIENTS: Final = Rule(
    _missing,
    {"gradient_none": "gradients that are None"},
    "gradients",
    applies=lambda recording: len(recording.requests) > 0,
)
