"""A process for which the others wait, and clocks of processes that cannot both be right."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import permutations
from typing import Any, Final

import numpy as np

from tapeviz.analysis.collectives import Meeting, meetings_of
from tapeviz.analysis.graph import Graph
from tapeviz.analysis.verdicts.verdict import (
    LIKELY,
    WORTH_KNOWING,
    Rule,
    Threshold,
    Thresholds,
    Verdict,
    verdict_at,
)
from tapeviz.recording import Recording
from tapeviz.recording.ranks import rank_of_events
from tapeviz.recording.schema import KINDS

__all__ = ["CLOCKS_APART", "SLOWEST_RANK"]

_OP: Final = KINDS.index("op")
_LEAST: Final = 4  # meetings, of which that with the longest wait may be a start
_MOST: Final = 0.75  # of all waiting, for one rank: else they wait for each other in turn

_SHARE = Threshold(
    "slow_rank_share", 0.2,
    "ranks wait for one of them for more than this part of the time between their first and their last meeting",
)  # fmt: skip
_APART = Threshold("clocks_apart_ms", 1.0, "a rank leaves a meeting this many ms before another one comes to it")


def _is_merged(recording: Recording) -> bool:
    return len(recording.ranks) > 1


# Whom the others wait for.


def _slowest(graph: Graph, thresholds: Thresholds) -> Iterator[Verdict]:
    meetings = meetings_of(graph.recording)
    if len(meetings) < _LEAST:
        return
    waited: dict[int, list[tuple[float, Meeting]]] = defaultdict(list)
    for meeting in meetings:
        waited[meeting.last].append((max(meeting.waits.values()), meeting))
    for ranks in waited.values():
        ranks.sort(key=lambda wait: wait[0])
    longest = max(waited, key=lambda rank: waited[rank][-1][0])
    sums = {rank: sum(ns for ns, _ in (waits[:-1] if rank == longest else waits)) for rank, waits in waited.items()}
    slow = max(sums, key=sums.__getitem__)
    lost, between = sums[slow], _between(meetings)
    if lost <= thresholds[_SHARE.name] * between or lost < _MOST * sum(sums.values()):
        return
    yield _verdict(graph, slow, lost, between, waited[slow])


def _between(meetings: list[Meeting]) -> float:
    """The time from the first meeting to the last one, of the rank for which it is longest."""
    ranks = {rank for meeting in meetings for rank in meeting.calls}
    calls = [[meeting.calls[rank] for meeting in meetings if rank in meeting.calls] for rank in ranks]
    return max(max(call.end for call in own) - min(call.start for call in own) for own in calls)


def _verdict(
    graph: Graph, slow: int, lost: float, between: float, waits: list[tuple[float, Meeting]]
) -> Verdict:  # fmt: skip
    number = int(graph.recording.ranks.number[slow])
    row, more = _slow_line(graph, slow)
    waiting = f"the other ranks wait for rank {number}: {_said(lost)} of {_said(between)}, in {len(waits)} calls"
    at = f"; it takes {_said(more)} longer than they do up to this line" if row >= 0 else ""
    fix = (
        f"look at what rank {number} does by itself before it (loading data, logging, saving), whether its share of "
        "the data is larger, and whether its device is slower"
    )
    longest = waits[-1][1]
    shown = row if row >= 0 else longest.calls[slow].rows[0]
    evidence = {"rank": number, "waited_ns": lost, "of_ns": between, "calls": len(waits), "longer_ns": more}
    return verdict_at(graph, shown, "slow_rank", LIKELY, f"{waiting}{at}", fix, evidence=evidence)


def _slow_line(graph: Graph, slow: int) -> tuple[int, float]:
    """The op up to which a rank takes most time that others do not take, by lines, and how much; -1 for none."""
    of_ranks = _times(graph)
    others = [times for rank, times in of_ranks.items() if rank != slow]
    best, most = -1, 0.0
    for line, (row, ns) in of_ranks[slow].items():
        more = ns - max((times.get(line, (-1, 0.0))[1] for times in others), default=0.0)
        if more > most:
            best, most = row, more
    return best, most


def _times(graph: Graph) -> Mapping[int, dict[Any, tuple[int, float]]]:
    """By rank and line: the op there that took longest, and the time up to the ends of its ops, meetings left out.

    What Python does between two ops stands with the second.
    """
    events, ranks = graph.recording.events, rank_of_events(graph.recording)
    found: dict[int, dict[Any, tuple[int, float]]] = {}
    for rank in range(len(graph.recording.ranks)):
        rows = np.flatnonzero((ranks == rank) & (events.kind == _OP))
        rows = rows[np.argsort(events.t0[rows], kind="stable")]
        ends = np.maximum.accumulate(events.t0[rows] + events.dur[rows]) if len(rows) else rows
        took = np.diff(ends, prepend=events.t0[rows[:1]])
        lines: dict[Any, tuple[int, float]] = {}
        longest: dict[Any, float] = {}
        for row, ns in zip(rows.tolist(), took.tolist(), strict=True):
            site = graph.place(graph.written_at(row))
            if site is None or graph.said(row, "family") == "collective":
                continue
            line = (site.file, site.line)
            at, sofar = lines.get(line, (row, 0.0))
            at = row if ns > longest.get(line, -1.0) else at
            longest[line] = max(ns, longest.get(line, -1.0))
            lines[line] = at, sofar + ns
        found[rank] = lines
    return found


def _said(ns: float) -> str:
    return f"{ns / 1e9:.2f} s" if ns >= 1e9 else f"{ns / 1e6:.3g} ms"  # noqa: PLR2004 - a second


SLOWEST_RANK: Final = Rule(
    _slowest,
    {"slow_rank": "a rank that the others wait for"},
    "ranks",
    thresholds=(_SHARE,),
    applies=_is_merged,
    is_across=True,
)


# Clocks.


def _apart(graph: Graph, thresholds: Thresholds) -> Iterator[Verdict]:
    """Once: who leaves a meeting before another comes to it has a clock that is behind the other's."""
    gap, late, early, meeting = max(_gaps(graph.recording), key=lambda gap: gap[0], default=(0.0, 0, 0, None))
    if meeting is None or gap <= thresholds[_APART.name] * 1e6:
        return
    first, second = (int(graph.recording.ranks.number[rank]) for rank in (late, early))
    order = ("receives", "sends") if meeting.message else (f"leaves {meeting.name}", "comes")
    saw = f"rank {second} {order[0]} before rank {first} {order[1]}"
    text = f"the clocks of ranks {first} and {second} are {_said(gap)} or more apart: {saw}"
    fix = "give tf.merge the offsets of the clocks, as pings measure them; how long ranks wait is right all the same"
    row = meeting.calls[early].rows[-1]
    evidence = {"ns": gap, "ranks": [first, second]}
    yield verdict_at(graph, row, "clocks_apart", WORTH_KNOWING, text, fix, evidence=evidence)


def _gaps(recording: Recording) -> Iterator[tuple[float, int, int, Meeting | None]]:
    """By how many ns a rank comes to a meeting after another one has left, the two and the meeting."""
    for meeting in meetings_of(recording):
        every = list(permutations(meeting.calls, 2)) if meeting.is_for_all else []
        for late, early in [meeting.message] if meeting.message else every:
            yield meeting.calls[late].start - meeting.calls[early].end, late, early, meeting


CLOCKS_APART: Final = Rule(
    _apart,
    {"clocks_apart": "clocks of ranks that cannot both be right"},
    "ranks",
    thresholds=(_APART,),
    applies=_is_merged,
    is_across=True,
)
