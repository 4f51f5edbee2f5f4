"""Functions that are traced again and again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import numpy as np

from tapeviz.analysis.graph import Graph
from tapeviz.analysis.links import Rows, distinct
from tapeviz.analysis.verdicts.verdict import LIKELY, Rule, Threshold, Thresholds, Verdict

__all__ = ["RETRACE"]

_MANY: Final = "retrace_many"
_SHARE: Final = "retrace_share"
_OURS: Final = re.compile(r"[\\/]tapeviz[\\/]keras[\\/]")  # a step of fit, one for each model


def _retraced(graph: Graph, limits: Thresholds) -> Iterator[Verdict]:
    """Functions most of whose calls trace them, or others made by the same lines.

    What changed and what to do is said in the recording, as on the cards of the traces.
    """
    graphs = graph.recording.graphs
    advised = np.flatnonzero((graphs.function >= 0) & np.array([bool(fix) for fix in graphs.fix], bool))
    for function in distinct(graphs.function[advised]).tolist():
        rows = advised[graphs.function[advised] == function]
        yield from _judged(graph, rows, graphs.reason[rows[-1]], graphs.fix[rows[-1]], limits)
    first = np.flatnonzero((graphs.function >= 0) & (graphs.trace == 1))
    for definition in distinct(graphs.definition[first]).tolist():
        rows = first[graphs.definition[first] == definition]
        if definition >= 0 and len(rows) > 1 and not _OURS.search(graph.recording.sites.file[definition]):
            what = _made(graph.recording.sites.function[definition], graphs.name[rows[-1]])
            reason = f"{what} is made anew for each call, and each is traced by itself"
            yield from _judged(graph, rows, reason, f"make {what} once, outside of the loop", limits, anew=1)


def _made(qualified: str, name: str) -> str:
    """What is made anew: a function, or the object whose method it is."""
    within = qualified.rpartition("<locals>.")[2]
    return f"the object that {name} is a method of" if "." in within else name


def _judged(graph: Graph, traces: Rows, reason: str, fix: str, limits: Thresholds, anew: int = 0) -> Iterator[Verdict]:
    """The finding about these traces; none where they are no more than there should be."""
    recording, last = graph.recording, int(traces[-1])
    graphs = recording.graphs
    of = graphs.id[np.isin(graphs.function, graphs.function[traces])]
    calls = max(int(np.isin(recording.graph_runs.graph, of).sum()), len(traces))
    if len(traces) - anew < limits[_MANY] or len(traces) < limits[_SHARE] * calls:
        return
    name, times = graphs.name[last], len(traces) + 1 - anew
    cost = float(graphs.tracing[traces].sum()) / 1e6
    text = f"{name} is traced {times:,} times in {calls:,} calls, which took {cost:,.0f} ms: {reason}"
    sites = (graphs.definition if anew else graphs.site)[traces]
    site = int(np.bincount(sites[sites >= 0]).argmax()) if (sites >= 0).any() else -1
    arguments = list(dict.fromkeys(graphs.argument[row] for row in traces.tolist()))
    evidence = {"function": name, "traces": times, "calls": calls, "arguments": arguments,
                "before": graphs.before[last], "after": graphs.after[last], "graph": int(graphs.id[last]),
                **limits}  # fmt: skip
    yield Verdict("retrace", LIKELY, -1, -1, graph.place(site), text, fix, evidence, site)


RETRACE: Final = Rule(
    _retraced,
    {"retrace": "functions that are traced again and again"},
    "traced functions",
    (
        Threshold(_MANY, 4, "a function is traced too often when it was traced again at least so many times, and"),
        Threshold(_SHARE, 0.25, "at least this part of its calls traced it again"),
    ),
    applies=lambda recording: bool((recording.graphs.function >= 0).any()),
)
