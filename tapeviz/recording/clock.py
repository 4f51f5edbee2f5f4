"""Where a recording's clock stands on the wall clock, so that those of several processes make one timeline."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from time import get_clock_info, perf_counter, time_ns
from typing import Any, Final, NamedTuple

__all__ = ["SECOND", "Anchor", "Beginning", "anchor", "beginning"]

_TRIES: Final = 16
SECOND: Final = 1e9


class Anchor(NamedTuple):
    """One moment by both clocks: seconds of ``time.perf_counter``, and ns since 1970, right to ``uncertainty`` ns."""

    t: float
    wall: int
    uncertainty: float

    def facts(self, started: float, skipped: float) -> dict[str, Any]:
        """The anchor as the meta has it, for a recording that began ``skipped`` ns after ``started`` seconds."""
        at = round((self.t - started) * SECOND - skipped)
        resolution = get_clock_info("time").resolution * SECOND
        return {"wall": self.wall, "at": at, "uncertainty": self.uncertainty, "resolution": resolution}


def anchor() -> Anchor:
    """The two clocks beside each other: the reading that took least time of a few."""
    best = Anchor(0.0, 0, math.inf)
    for _ in range(_TRIES):
        before, wall, after = perf_counter(), time_ns(), perf_counter()
        if (half := (after - before) / 2 * SECOND) < best.uncertainty:
            best = Anchor((before + after) / 2, wall, half)
    return best


class Beginning(NamedTuple):
    """When a recording began, in ns since 1970, and by how many ns that may be wrong."""

    wall: int
    uncertainty: float


def beginning(meta: Mapping[str, Any]) -> Beginning | None:
    """When a recording with these facts began; older ones say it in whole seconds, and the oldest do not."""
    clock = meta.get("clock")
    if isinstance(clock, dict) and "wall" in clock and "at" in clock:
        return Beginning(clock["wall"] - clock["at"], clock.get("uncertainty", 0.0) + clock.get("resolution", 0.0))
    if isinstance(started := meta.get("started"), str):
        try:
            return Beginning(round(datetime.fromisoformat(started).timestamp() * SECOND), SECOND)
        except ValueError:
            return None
    return None
