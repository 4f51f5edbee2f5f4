"""How long events ran, without the garbage collector's pauses within them: a pause is not the work of an op."""

from __future__ import annotations

from typing import Final

import numpy as np

from tapeviz.recording import Recording
from tapeviz.recording.schema import KINDS

__all__ = ["op_times"]

_PAUSE: Final = KINDS.index("gc")


def op_times(recording: Recording) -> np.ndarray:
    """How long each row of ``events`` ran, in ns, less the pauses that fell into it. A pause keeps its own length."""
    return recording.derived(_op_times)


def _op_times(recording: Recording) -> np.ndarray:
    events = recording.events
    is_pause = events.kind == _PAUSE
    if not is_pause.any():
        return np.asarray(events.dur)
    # The collector has one run at a time, so the time paused before a moment is a polygon with corners at their ends.
    start, length = events.t0[is_pause], events.dur[is_pause]
    order = np.argsort(start, kind="stable")
    start, length = start[order], length[order]
    corners = np.stack([start, start + length], axis=1).ravel()
    paused = np.stack([np.cumsum(length) - length, np.cumsum(length)], axis=1).ravel()
    within = np.interp(events.t0 + events.dur, corners, paused) - np.interp(events.t0, corners, paused)
    times: np.ndarray = np.where(is_pause, events.dur, np.maximum(events.dur - within, 0))
    return times
