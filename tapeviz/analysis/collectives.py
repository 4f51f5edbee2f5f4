"""Calls between the processes of a merged recording: which belong together, and who waited for whom in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from tapeviz.analysis.graph import Graph, graph_of
from tapeviz.recording import Recording
from tapeviz.recording.ranks import rank_of_events
from tapeviz.recording.schema import KINDS

__all__ = ["Call", "Meeting", "meetings_of", "wait_rows"]

_OP: Final = KINDS.index("op")
_FAMILY: Final = "collective"
_PAIR: Final = 2


@dataclass
class Call:
    """What one rank did in a meeting: the rows of its events (of the call, and of waiting for it), and their times."""

    rows: list[int]
    start: float
    end: float
    stood: float
    """How long the rank stood still in it, in ns."""
    is_over: bool
    """Whether it was there until the call had done its work: of one that does not wait, whether it waited later."""


@dataclass
class Meeting:
    """A call that several ranks make together, by rank (row of ``ranks``); of a message who sends and who receives."""

    name: str
    calls: dict[int, Call] = field(default_factory=dict)
    message: tuple[int, int] | None = None
    is_for_all: bool = True
    """Whether nobody leaves before all have come; with a root, or as a message, some need not wait for some."""

    @property
    def waits(self) -> dict[int, float]:
        """How many ns each rank stood in it longer than the last to come, whom it waited for.

        They leave it together, so that no clock is compared with another one.
        """
        least = min(call.stood for call in self.calls.values())
        return {rank: call.stood - least for rank, call in self.calls.items()}

    @property
    def last(self) -> int:
        """The rank that the others waited for."""
        return min(self.calls, key=lambda rank: self.calls[rank].stood)


def meetings_of(recording: Recording) -> list[Meeting]:
    """The meetings of which every rank's part is recorded, in the order of the first rank's."""
    return recording.derived(_meetings)


def _meetings(recording: Recording) -> list[Meeting]:
    graph, numbers = graph_of(recording), recording.ranks.number.tolist()
    place = {number: rank for rank, number in enumerate(numbers)}
    found: dict[tuple[Any, ...], Meeting] = {}
    ranks, counts = rank_of_events(recording), Counter[tuple[int, str]]()
    for row in _calls(graph) if numbers else ():
        said = graph.attributes(row)
        if "group" not in said:
            continue
        message = (said.get("from"), said.get("to")) if "from" in said else None
        name = str(said.get("of", graph.op(row)))
        sequence = said.get("sequence", counts[ranks[row], name])  # our own say none: each rank's are counted here
        counts[ranks[row], name] += 1
        key = ("" if message else name, message, *said["group"], sequence)
        meeting = found.setdefault(key, Meeting("message" if message else name, is_for_all=not message))
        meeting.is_for_all &= "peer" not in said
        if message:
            meeting.message = place.get(message[0], -1), place.get(message[1], -1)
        _add(meeting, recording, row, int(ranks[row]), is_over=not said.get("async"))
    return [meeting for key, meeting in found.items() if _is_whole(meeting, set(_expected(key, meeting, place)))]


def _is_whole(meeting: Meeting, expected: set[int]) -> bool:
    """Whether all ranks' parts are there, to the end, and tell who waited for whom.

    Of three or more ranks with a root among them it is not known which one the root waited for.
    """
    calls = meeting.calls
    told = meeting.is_for_all or len(calls) == _PAIR
    return len(calls) > 1 and calls.keys() == expected and told and all(call.is_over for call in calls.values())


def _calls(graph: Graph) -> Iterator[int]:
    """The rows of events that are calls between processes, and went well."""
    events = graph.recording.events
    for row in np.flatnonzero((events.kind == _OP) & (events.status == 0)).tolist():
        if graph.said(row, "family") == _FAMILY:
            yield row


def _add(meeting: Meeting, recording: Recording, row: int, rank: int, *, is_over: bool) -> None:
    start, took = float(recording.events.t0[row]), float(recording.events.dur[row])
    call = meeting.calls.setdefault(rank, Call([], start, start, 0.0, is_over))
    call.rows.append(row)
    call.is_over = is_over
    call.end, call.stood = start + took, call.stood + took


def _expected(key: tuple[Any, ...], meeting: Meeting, place: dict[int, int]) -> list[int]:
    """The ranks that have to be there; -1 for one that is not among the recorded ones."""
    if meeting.message is not None:
        return list(meeting.message)
    group = key[2:-1]
    return list(place.values()) if "world" in group else [place.get(number, -1) for number in group]


def wait_rows(recording: Recording) -> list[dict[str, Any]]:
    """The rows of the table ``waits``: for each op between processes how long it waited for the last to come."""
    ids = recording.events.id
    return [
        {"event": int(ids[meeting.calls[rank].rows[-1]]), "dur": float(ns), "rank": meeting.last}
        for meeting in meetings_of(recording) for rank, ns in meeting.waits.items() if ns > 0
    ]  # fmt: skip
