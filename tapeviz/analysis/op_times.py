"""How long events ran, without what is not their work: pauses of the garbage collector, imports, first uses of ops."""

from __future__ import annotations

from typing import Final

import numpy as np

from tapeviz.recording import Recording
from tapeviz.recording.schema import KINDS

__all__ = ["op_times"]

_PAUSE: Final = KINDS.index("gc")


def op_times(recording: Recording) -> np.ndarray:
    """How long each row of ``events`` ran, in ns, less the pauses and setups within it. A pause keeps its length."""
    return recording.derived(_op_times)


def _op_times(recording: Recording) -> np.ndarray:
    events, setups = recording.events, recording.setups
    is_pause = events.kind == _PAUSE
    start = np.concatenate([events.t0[is_pause], setups.t0])
    if not start.size:
        return np.asarray(events.dur)
    start, end = _united(start, start + np.concatenate([events.dur[is_pause], setups.dur]))
    # The time paused before a moment is a polygon with corners at their ends.
    corners = np.stack([start, end], axis=1).ravel()
    paused = np.stack([np.cumsum(end - start) - (end - start), np.cumsum(end - start)], axis=1).ravel()
    within = np.interp(events.t0 + events.dur, corners, paused) - np.interp(events.t0, corners, paused)
    times: np.ndarray = np.where(is_pause, events.dur, np.maximum(events.dur - within, 0))
    return times


def _united(start: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The stretches that these intervals cover: the collector may run within an import."""
    order = np.argsort(start, kind="stable")
    start, reach = start[order], np.maximum.accumulate(end[order])
    first = np.append(True, start[1:] > reach[:-1])
    return start[first], reach[np.append(first[1:], True)]
