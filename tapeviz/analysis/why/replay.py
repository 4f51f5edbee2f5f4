"""What a gradient tape took down, worked out again from the recording: its rule, applied to columns.

A tape takes down an op that runs while it records, when it follows one of the op's inputs and the op has a gradient for
it; it then follows the op's results as well. It begins with what it was told to watch.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tapeviz.analysis.graph import NOT_REACHED, Graph, Lists, reach
from tapeviz.analysis.links import Mask, distinct, ops_with, pick
from tapeviz.recording import Recording

__all__ = ["Change", "Replay", "replay", "tape_before"]

_ENDS: Final = ("exit", "stop", "reset")
_BEGINS: Final = ("enter", "resume")
_EVERYTHING: Final = 2
_SLOTS: Final = 16  # inputs of an op that are not variadic, at most


@dataclass(frozen=True, slots=True)
class Change:
    """Something that happened to a tape: when (ns), what, and on which row of ``sites``."""

    t: float
    change: str
    site: int


class Replay:
    """One tape up to a moment.

    Args:
        graph: the graph of the recording.
        tape: the tape's id.
        until: the moment (ns) at which it was asked for a gradient.
    """

    def __init__(self, graph: Graph, tape: int, until: float = math.inf) -> None:
        self.graph = graph
        self.tape = tape
        self.until = until

    @cached_property
    def changes(self) -> list[Change]:
        """What happened to the tape, in order."""
        tapes = self.graph.recording.tapes
        rows = np.flatnonzero((tapes.id == self.tape) & (tapes.t <= self.until))
        return [Change(float(tapes.t[row]), tapes.change[row], int(tapes.site[row])) for row in rows.tolist()]

    @cached_property
    def forgot(self) -> Change | None:
        """The last time the tape was reset."""
        return next((change for change in reversed(self.changes) if change.change == "reset"), None)

    @cached_property
    def windows(self) -> list[tuple[float, float]]:
        """The stretches of time (ns) in which the tape recorded; one from before the recording begins at -inf."""
        # One whose first change is an end began before the recording; one without any never began.
        found, begun = [], -math.inf if self.changes and self.changes[0].change in _ENDS else None
        for change in self.changes:
            if change.change in _BEGINS:
                begun = change.t
            elif change.change in ("exit", "stop") and begun is not None:
                found.append((begun, change.t))
                begun = None
        if begun is not None:
            found.append((begun, self.until))
        since = -math.inf if self.forgot is None else self.forgot.t
        return [(max(start, since), end) for start, end in found if end > since]

    @property
    def persistent(self) -> bool:
        """Whether the tape answers more than one question."""
        return self._flag("persistent") > 0

    @property
    def accessed(self) -> bool:
        """Whether the tape watches trainable variables by itself."""
        return self._flag("accessed") > 0

    @property
    def everything(self) -> bool:
        """Whether the tape follows all tensors there are."""
        return self._flag("accessed") == _EVERYTHING

    def _flag(self, column: str) -> int:
        tapes = self.graph.recording.tapes
        rows = np.flatnonzero(tapes.id == self.tape)
        return int(tapes.cells(column)[rows[0]]) if len(rows) else 1

    def during(self, times: NDArray[Any]) -> Mask:
        """Which of these times (ns) the tape recorded at."""
        found = np.zeros(len(times), np.bool_)
        for start, end in self.windows:
            found |= (times >= start) & (times < end)
        return found

    @cached_property
    def events(self) -> Mask:
        """The ops that ran while the tape recorded."""
        found: Mask = self.graph.ran & self.during(self.graph.recording.events.t0)
        return found

    @cached_property
    def watched(self) -> dict[int, float]:
        """The tensors that the tape was told to watch, or watched by itself, and since when (ns)."""
        return self._watches(-math.inf if self.forgot is None else self.forgot.t)

    @cached_property
    def watched_ever(self) -> dict[int, float]:
        """The same with what it forgot by ``reset``."""
        return self._watches(-math.inf)

    def _watches(self, since: float) -> dict[int, float]:
        watches = self.graph.recording.watches
        rows = np.flatnonzero((watches.tape == self.tape) & (watches.t >= since) & (watches.t <= self.until))
        tensors = self.graph.links.tensor_rows(watches.tensor[rows])
        found: dict[int, float] = {}
        for tensor, t in zip(tensors.tolist(), watches.t[rows].tolist(), strict=True):
            if tensor >= 0 and self.graph.is_floating[tensor]:
                found.setdefault(tensor, t)
        return found

    @cached_property
    def passes(self) -> Mask:
        """For each edge of `Graph.reads` whether a gradient would flow back over it, were its input followed."""
        event, tensor, slot = self.graph.reads
        events, ops = self.graph.recording.events, self.graph.recording.ops
        with_gradient = np.zeros((len(ops), _SLOTS), np.bool_)
        for row, text in enumerate(ops.differentiable):
            with_gradient[row] = [text == "*" or text[at : at + 1] == "1" for at in range(_SLOTS)]
        with_gradient[ops_with(self.graph.recording, "custom_gradient")] = True
        op = events.op[event]
        declared = np.where(slot < _SLOTS, np.minimum(slot, _SLOTS - 1), 0)
        known = (op >= 0) & (op < len(ops))
        has = np.zeros(len(event), np.bool_)
        has[known] = with_gradient[op[known], declared[known]]
        found: Mask = has & self.graph.is_floating[tensor]
        return found

    @cached_property
    def live(self) -> Mask:
        """For each edge of `Graph.reads` whether the tape would take it down, were its input followed."""
        event, tensor, _ = self.graph.reads
        since = np.full(self.graph.tensors, -np.inf)
        made_on_tape = pick(self.events, self.graph.links.producer)
        for row, t in self.watched.items():
            if not made_on_tape[row]:
                since[row] = t
        found: Mask = self.passes & self.events[event] & (self.graph.recording.events.t0[event] >= since[tensor])
        return found

    @cached_property
    def onward(self) -> Lists:
        """The ops on the tape that a gradient flows back from to a tensor."""
        event, tensor, _ = self.graph.reads
        around = [edge for row in np.flatnonzero(self._custom).tolist() for edge in self._edges_around(row)]
        events = np.array([edge[0] for edge in around], np.int64)
        tensors = np.array([edge[1] for edge in around], np.int64)
        return Lists(
            np.concatenate([tensor[self.live], tensors]), np.concatenate([event[self.live], events]), self.graph.tensors
        )

    @cached_property
    def _custom(self) -> Mask:
        """The results of functions with a gradient of their own, on the tape."""
        recording = self.graph.recording
        found: Mask = self.events & pick(ops_with(recording, "custom_gradient"), recording.events.op)
        return found

    def _edges_around(self, event: int) -> list[tuple[int, int]]:
        """From what a function with a gradient of its own was given straight to its result, past what it did with it.

        While such a function runs a tape of its own records, which ends just before the result is made.
        """
        tapes, t0 = self.graph.recording.tapes, self.graph.recording.events.t0
        closed = [row for row in np.flatnonzero(tapes.t <= t0[event]).tolist() if tapes.change[row] == "exit"]
        if not closed or tapes.id[closed[-1]] == self.tape:
            return []
        opened = np.flatnonzero(tapes.id == tapes.id[closed[-1]])[0]
        inside = self.graph.ran & (t0 >= tapes.t[opened]) & (t0 < tapes.t[closed[-1]])
        of, tensor, _ = self.graph.reads
        given = distinct(tensor[inside[of]])
        given = given[~pick(inside, self.graph.links.producer[given]) & self.graph.is_floating[given]]
        return [(event, row) for row in given.tolist()]

    @cached_property
    def made(self) -> Lists:
        """What an op on the tape made that can have a gradient."""
        producer = self.graph.links.producer
        tensor = np.flatnonzero((producer >= 0) & self.graph.is_floating & pick(self.events, producer))
        return Lists(producer[tensor], tensor, self.graph.events)

    @cached_property
    def followed(self) -> list[int]:
        """All that the tape followed, as `reach` gives it."""
        return reach(self.watched, self.onward, self.made, self.graph)

    def follows(self, tensor: int) -> bool:
        """Whether the tape followed a tensor."""
        if self.everything:
            return bool(self.graph.is_floating[tensor])
        return tensor in self.watched or self.followed[tensor] != NOT_REACHED

    def flow(self, sources: Iterable[int]) -> list[int]:
        """What depends on these tensors, as far as the tape knows; as `reach` gives it."""
        return reach(sources, self.onward, self.made, self.graph)


def replay(graph: Graph, tape: int, until: float = math.inf) -> Replay:
    """A tape up to a moment, worked out once for each of them."""
    return graph.recording.derived(_Replays).of(graph, tape, until)


class _Replays:
    """The tapes of a recording asked about so far."""

    def __init__(self, _recording: Recording) -> None:
        self._known: dict[tuple[int, float], Replay] = {}

    def of(self, graph: Graph, tape: int, until: float) -> Replay:
        if (tape, until) not in self._known:
            self._known[tape, until] = Replay(graph, tape, until)
        return self._known[tape, until]


def tape_before(graph: Graph, made: float, until: float) -> int:
    """The tape to ask about something made at a time (ns): the innermost that recorded then, else the last one begun.

    Returns:
        The tape's id, -1 when there was none.
    """
    tapes = graph.recording.tapes
    begun = np.flatnonzero(np.array([change == "enter" for change in tapes.change], np.bool_) & (tapes.t <= until))
    ids = list(dict.fromkeys(tapes.id[begun].tolist()))
    recording = [tape for tape in ids if replay(graph, tape).during(np.array([made])).any()]
    earlier = tapes.id[begun[tapes.t[begun] <= made]].tolist()
    return int((recording or earlier or ids[:1] or [-1])[-1])
