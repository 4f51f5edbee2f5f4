"""What a trace took from Python once, and each run of its graph goes on with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from tapeviz.analysis.graph import Graph
from tapeviz.analysis.links import rows_of
from tapeviz.analysis.verdicts.verdict import LIKELY, Rule, Threshold, Thresholds, Verdict

__all__ = ["FROZEN"]

_RUNS: Final = "frozen_runs"
_OF_TRACES: Final = re.compile("trac|compil", re.IGNORECASE)

_SAYS: Final = {
    "value": "{name} was {then} when {function} was traced, and its graph goes on with that: {name} is {now} now",
    "counter": "{name} is changed while {function} is traced, not when its graph runs: it stays {now} for {often}",
    "list": "{name}(...) ran while {function} was traced, not when its graph runs: once for {often}",
    "random": "{name} drew while {function} was traced, and its graph goes on with that draw: one for {often}",
    "clock": "{name} was asked while {function} was traced: one and the same time for {often}",
    "iterator": "{name} took an element while {function} was traced, and its graph goes on with it: one for {often}",
}
_FIXES: Final = {
    "value": "make {name} a tf.Variable and change it with assign(), or pass it to {function} as a tensor",
    "counter": "make {name} a tf.Variable and change it with assign_add(), or change it outside of {function}",
    "list": "return the value from {function} and call {name} outside of it, or use a tf.TensorArray",
    "random": "draw with {with} in {function}, or draw outside of it and pass what was drawn as a tensor",
    "clock": "ask {name} outside of {function}, around its call",
    "iterator": "take the element outside of {function} and pass it, or loop over a tf.data.Dataset",
}
_DRAWS: Final = {
    "tf.random.normal": ("normal", "randn", "standard_normal", "gauss", "normalvariate"),
    "tf.random.uniform": ("uniform", "rand", "random", "random_sample"),
    "tf.random.uniform(..., dtype=tf.int32)": ("randint", "integers", "randrange"),
    "tf.random.shuffle": ("shuffle", "permutation", "permuted", "sample"),
}


@dataclass(slots=True)
class _Group:
    """The reads of one kind in one function of the user's: rows of ``trace_reads``, and the graphs they are in."""

    rows: list[int] = field(default_factory=list)
    graphs: set[int] = field(default_factory=set)


def _frozen(graph: Graph, limits: Thresholds) -> Iterator[Verdict]:
    """Each function's reads of a kind make one finding; a graph that has not run again went on with nothing."""
    recording = graph.recording
    reads, graphs, sites = recording.trace_reads, recording.graphs, recording.sites
    of = rows_of(graphs.id, reads.graph)
    runs = np.bincount(recording.graph_runs.graph, minlength=int(graphs.id.max(initial=0)) + 1)
    groups: dict[tuple[object, ...], _Group] = {}
    for row in range(len(reads)):
        if reads.site[row] < 0 or reads.kind[row] not in _SAYS:
            continue
        function = int(graphs.function[of[row]]) if of[row] >= 0 else -1
        named = reads.name[row] if reads.kind[row] in ("value", "counter", "list") else ""
        key = (function, reads.kind[row], named, sites.function[reads.site[row]])
        group = groups.setdefault(key, _Group())
        group.rows.append(row)
        group.graphs.add(int(reads.graph[row]))
    for group in groups.values():
        row = min(group.rows, key=lambda row: (sites.line[reads.site[row]], row))
        count = -1 if -1 in group.graphs else sum(int(runs[number]) for number in group.graphs)
        if reads.kind[row] in ("counter", "list") and _OF_TRACES.search(reads.name[row]):
            continue  # it counts the traces, and says so
        if reads.kind[row] == "value" or count < 0 or count >= len(group.graphs) * limits[_RUNS]:
            yield _finding(graph, row, group, count, limits)


def _finding(graph: Graph, row: int, group: _Group, runs: int, limits: Thresholds) -> Verdict:
    reads, sites = graph.recording.trace_reads, graph.recording.sites
    site, kind = int(reads.site[row]), reads.kind[row]
    function = sites.function[site].rpartition("<locals>.")[2]
    function = "the lambda" if function == "<lambda>" else function
    draw = reads.name[row].rpartition(".")[2]
    now = "another one" if reads.now[row] == reads.then[row] else reads.now[row]
    words = {
        "name": reads.name[row], "function": function, "then": reads.then[row], "now": now,
        "with": next((ours for ours, theirs in _DRAWS.items() if draw in theirs), "tf.random"),
        "often": "all elements" if runs < 0 else f"{runs:,} runs",
    }  # fmt: skip
    lines = sorted({int(sites.line[reads.site[other]]) for other in group.rows})
    evidence = {**words, "reason": kind, "graph": int(reads.graph[row]), "lines": lines, "runs": runs, **limits}
    event = int(reads.event[row])
    return Verdict(
        "frozen", LIKELY, event, -1, graph.place(site), _SAYS[kind].format_map(words), _FIXES[kind].format_map(words),
        evidence, site,
    )  # fmt: skip


FROZEN: Final = Rule(
    _frozen,
    {"frozen": "Python values that a traced function goes on with"},
    "traced functions",
    (Threshold(_RUNS, 2, "what a trace did is worth a finding when each of its graphs has run so many times"),),
    applies=lambda recording: bool((recording.graphs.function >= 0).any()) or len(recording.trace_reads) > 0,
)
