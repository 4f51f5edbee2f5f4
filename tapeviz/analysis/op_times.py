"""How long events ran, without what is not their work: pauses of the garbage collector, imports, first uses of ops."""

from __future__ import annotations

from typing import Final

import numpy as np

from tapeviz.analysis.links import distinct
from tapeviz.recording import Recording
from tapeviz.recording.ranks import rank_of_events, rank_of_setups
from tapeviz.recording.schema import KINDS

__all__ = ["op_times"]

_PAUSE: Final = KINDS.index("gc")


def op_times(recording: Recording) -> np.ndarray:
    """How long each row of ``events`` ran, in ns, less its process's pauses and setups within it.

    A pause keeps its length.
    """
    return recording.derived(_op_times)


def _op_times(recording: Recording) -> np.ndarray:
    events, setups = recording.events, recording.setups
    is_pause = events.kind == _PAUSE
    if not is_pause.any() and not len(setups):
        return np.asarray(events.dur)
    ranks, of_setups = rank_of_events(recording), rank_of_setups(recording)
    times: np.ndarray = events.dur.copy()
    for rank in distinct(ranks).tolist():
        mine, pauses, own = ranks == rank, is_pause & (ranks == rank), of_setups == rank
        start = np.concatenate([events.t0[pauses], setups.t0[own]])
        took = np.concatenate([events.dur[pauses], setups.dur[own]])
        if start.size:
            times[mine] -= _within(events.t0[mine], events.dur[mine], start, took)
    times[is_pause] = events.dur[is_pause]
    np.maximum(times, 0, out=times)
    return times


def _within(t0: np.ndarray, dur: np.ndarray, start: np.ndarray, took: np.ndarray) -> np.ndarray:
    """How much of each event these pauses take."""
    start, end = _united(start, start + took)
    # The time paused before a moment is a polygon with corners at their ends.
    corners = np.stack([start, end], axis=1).ravel()
    paused = np.stack([np.cumsum(end - start) - (end - start), np.cumsum(end - start)], axis=1).ravel()
    within: np.ndarray = np.interp(t0 + dur, corners, paused) - np.interp(t0, corners, paused)
    return within


def _united(start: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The stretches that these intervals cover: the collector may run within an import."""
    order = np.argsort(start, kind="stable")
    start, reach = start[order], np.maximum.accumulate(end[order])
    first = np.append(True, start[1:] > reach[:-1])
    return start[first], reach[np.append(first[1:], True)]
