"""Long stretches in which no op ran, and a time axis that leaves most of them out.

A second asleep between two milliseconds of work would else take the whole width of a timeline. The twin of the views'
timeline/breaks.ts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["LEAST_IDLE", "Break", "breaks_of", "gaps_of", "places_of", "times_of"]

LEAST_IDLE: Final = 1e6
"""A shorter gap is nothing to wonder about, ns."""

_LONG: Final = 0.25  # longer than this part of everything that is not left out
_MOST: Final = 32
_SIZE: Final = 0.05  # what a break takes of everything else
_SIZES: Final = 0.3  # and all of them together

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Break:
    """A gap from a time to a time, in ns, that is left out: it takes ``size`` of the axis, from ``at`` on."""

    start: float
    end: float
    at: float
    size: float


def gaps_of(start: Floats, end: Floats, domain: tuple[float, float]) -> list[tuple[float, float]]:
    """The gaps between ops given in the order of starting, at the beginning and the end of the domain too."""
    if not len(start):
        return []
    begins = np.append(domain[0], np.maximum.accumulate(np.maximum(end, domain[0])))
    ends = np.append(start, domain[1])
    wide = ends - begins >= LEAST_IDLE
    return list(zip(begins[wide].tolist(), ends[wide].tolist(), strict=True))


def breaks_of(gaps: Sequence[tuple[float, float]], domain: tuple[float, float]) -> list[Break]:
    """Those of the gaps that are left out, in the order of time, with their places on the axis."""
    longest = sorted(gaps, key=lambda gap: gap[0] - gap[1])[:_MOST]
    left = rest = domain[1] - domain[0]
    count = 0
    for number, (start, end) in enumerate(longest, 1):
        left -= end - start
        if end - start > _LONG * left:
            rest, count = left, number
    size = max(1.0, rest * min(_SIZE, _SIZES / max(1, count)))
    found: list[Break] = []
    saved = 0.0
    for start, end in sorted(longest[:count]):
        found.append(Break(start, end, start - saved, size))
        saved += end - start - size
    return found


def places_of(breaks: Sequence[Break], times: NDArray[Any]) -> Floats:
    """From times to places on the axis; straight within a break, too."""
    known, places = _corners(breaks)
    return _along(known, places, times)


def times_of(breaks: Sequence[Break], places: NDArray[Any]) -> Floats:
    """From places on the axis to times."""
    known, there = _corners(breaks)
    return _along(there, known, places)


def _corners(breaks: Sequence[Break]) -> tuple[Floats, Floats]:
    times = [time for gap in breaks for time in (gap.start, gap.end)]
    places = [place for gap in breaks for place in (gap.at, gap.at + gap.size)]
    return np.array(times), np.array(places)


def _along(from_: Floats, to: Floats, values: NDArray[Any]) -> Floats:
    """From one axis to the other: as it is before the first corner, and in step with the last behind it."""
    values = np.asarray(values, np.float64)
    if not len(from_):
        return values
    between = np.interp(values, from_, to)
    outside = np.where(values < from_[0], values - from_[0] + to[0], values - from_[-1] + to[-1])
    places: Floats = np.where((values < from_[0]) | (values > from_[-1]), outside, between)
    return places
