"""Findings about what graphs took from Python once, by tracing their functions again."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from tapeviz.analysis.graph import graph_of
from tapeviz.analysis.verdicts import Verdict, Verdicts
from tapeviz.analysis.verdicts.verdict import LIKELY
from tapeviz.recorder.retraces import Difference, differences
from tapeviz.recording import Recording

__all__ = ["with_retraces"]

_SAYS: Final = {
    "number": "{function} took {then} from Python when it was traced, and its graph goes on with it: traced again it"
    " takes {now}",
    "op": "{function} is another program when it is traced again: it has {now} here, where its graph has {then}: what"
    " decided that in Python was asked once",
}
_FIX: Final = "pass what it depends on to {function} as a tensor, or keep it in a tf.Variable"


def with_retraces(recording: Recording, found: Verdicts, *, here: bool) -> Verdicts:
    """The findings, and one more for each line where a function that ran would now be traced to another graph.

    ``here`` says whether the recording is of this process, so that its functions may be there.
    """
    graphs = recording.graphs
    rows = zip(graphs.function.tolist(), graphs.trace.tolist(), graphs.name, strict=True)
    wanted = {(function, trace): name for function, trace, name in rows if function >= 0}
    compared = differences(wanted) if here else {}
    unseen = [
        f"{name}, which is gone and cannot be traced again" for key, name in wanted.items() if key not in compared
    ]
    more: list[Verdict] = []
    seen = {(one.site.file, one.site.line) for one in found if one.kind == "frozen" and one.site is not None}
    for one in compared.values():
        if one is not None and one.kind == "error":
            unseen.append(f"{one.function}, which could not be traced again: {one.now}")
        elif one is not None and one.place not in seen:
            seen |= {one.place} if one.place is not None else set()
            more.append(_finding(recording, one))
    both = Verdicts(sorted([*found, *more], key=lambda verdict: -verdict.severity))
    if found.coverage is not None:
        both.coverage = replace(found.coverage, unseen=(*found.coverage.unseen, *dict.fromkeys(unseen)))
    return both


def _site(recording: Recording, one: Difference) -> int:
    """The row of its line; -1 where nothing was recorded there."""
    if one.place is None:
        return -1
    sites = recording.sites
    rows = np.flatnonzero(sites.line == one.place[1]).tolist()
    return next((row for row in rows if sites.file[row] == one.place[0]), -1)


def _finding(recording: Recording, one: Difference) -> Verdict:
    site = _site(recording, one)
    words = {"function": one.function, "then": one.then, "now": one.now}
    text, fix = _SAYS[one.kind].format_map(words), _FIX.format_map(words)
    evidence = {**words, "reason": "retraced", "difference": one.kind}
    return Verdict("frozen", LIKELY, -1, -1, graph_of(recording).place(site), text, fix, evidence, site)
