"""Functions that are traced again and again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from tapeviz.analysis.graph import Graph
from tapeviz.analysis.links import Rows
from tapeviz.analysis.verdicts.verdict import LIKELY, Rule, Threshold, Thresholds, Verdict

__all__ = ["RETRACE"]

_MANY: Final = "retrace_many"
_SHARE: Final = "retrace_share"


def _retraced(graph: Graph, limits: Thresholds) -> Iterator[Verdict]:
    """Functions most of whose calls trace them, or others made by the same lines.

    What each trace is for, what changed and what to do is said in the recording, as on its card.
    """
    graphs = graph.recording.graphs
    advised = np.flatnonzero((graphs.function >= 0) & np.array([bool(fix) for fix in graphs.fix], bool))
    anew = np.array([not graphs.argument[row] for row in advised.tolist()], bool)
    for definition in np.unique(graphs.definition[advised[anew]]).tolist():
        rows = np.flatnonzero((graphs.definition == definition) & (graphs.function >= 0) & (graphs.trace == 1))
        if found := _judged(graph, rows, advised[anew & (graphs.definition[advised] == definition)], limits):
            yield found
    for function in np.unique(graphs.function[advised[~anew]]).tolist():
        again = advised[~anew & (graphs.function[advised] == function)]
        if found := _judged(graph, again, again, limits):
            yield found


def _judged(graph: Graph, traces: Rows, advised: Rows, limits: Thresholds) -> Verdict | None:
    """The finding about traces of which some come with advice; None where so many are no harm."""
    recording, last = graph.recording, int(advised[-1])
    graphs = recording.graphs
    anew = not graphs.argument[last]
    of = graphs.id[np.isin(graphs.function, graphs.function[traces])]
    calls = max(int(np.isin(recording.graph_runs.graph, of).sum()), len(traces))
    if len(traces) < limits[_MANY] or len(traces) < limits[_SHARE] * calls:
        return None
    name, times = graphs.name[last], len(traces) + (not anew)
    cost = float(graphs.tracing[traces].sum()) / 1e6
    text = f"{name} is traced {times:,} times in {calls:,} calls, which took {cost:,.0f} ms: {graphs.reason[last]}"
    sites = graphs.definition[advised] if anew else graphs.site[advised]
    site = int(np.bincount(sites[sites >= 0]).argmax()) if (sites >= 0).any() else -1
    arguments = list(dict.fromkeys(graphs.argument[row] for row in advised.tolist()))
    evidence = {"function": name, "traces": times, "calls": calls, "arguments": arguments,
                "before": graphs.before[last], "after": graphs.after[last], "graph": int(graphs.id[last]),
                **limits}  # fmt: skip
    return Verdict("retrace", LIKELY, -1, -1, graph.place(site), text, graphs.fix[last], evidence, site)


RETRACE: Final = Rule(
    _retraced,
    {"retrace": "functions that are traced again and again"},
    (
        Threshold(_MANY, 4, "a function is traced too often when it was traced again at least so many times, and"),
        Threshold(_SHARE, 0.25, "at least this part of its calls traced it again"),
    ),
    applies=lambda recording: bool((recording.graphs.function >= 0).any()),
)
