"""How far to go: a point along a line at which a function has become smaller, and flatter, by enough."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

__all__ = ["Point", "strong_wolfe"]

_CLOSER: Final = 0.1  # a trial nearer to an end of the interval than this share of it makes little progress
_LEAST, _MOST = 0.01, 10.0  # how far beyond the last trial the next one is, while no minimum is in between


@dataclass(frozen=True)
class Point:
    """What is known of a function at a place on a line.

    Attributes:
        t: the place.
        value: the function's value.
        slope: its derivative along the line.
        gradient: its gradient, for whoever goes there.
    """

    t: float
    value: float
    slope: float
    gradient: Any = None


def strong_wolfe(
    at: Callable[[float], Point], start: Point, t: float, *, decrease: float = 1e-4, flatness: float = 0.9,
    least: float = 1e-9, most: int = 25,
) -> tuple[Point, int]:  # fmt: skip
    r"""A point that satisfies the strong Wolfe conditions, if one is found in time; else the best one found.

    .. math::
        f(t) \le f(0) + c_1 t f'(0), \qquad |f'(t)| \le -c_2 f'(0)

    The first says that it was worth going so far, the second that there is little to gain near by. Trials go outwards
    until there is a minimum in between, then inwards, each to where a cubic through the ends has its minimum.

    Args:
        at: gives the point at a place.
        start: the point at 0; its slope is negative.
        t: the place to try first.
        decrease: :math:`c_1`.
        flatness: :math:`c_2`.
        least: the width of the interval at which to end.
        most: how many more trials there are.

    Returns:
        The point, and how many points were asked for.

    Of ``(t - 3)**2`` the cubic finds the minimum at the second trial:

    >>> from tapeviz.optimizers import Point, strong_wolfe
    >>> parabola = lambda t: Point(t, (t - 3.0) ** 2, 2 * (t - 3.0))
    >>> found, trials = strong_wolfe(parabola, parabola(0.0), 0.1)
    >>> found.t, trials
    (1.0, 2)
    """
    search = _Search(start, decrease, flatness, least, most)
    before, now = start, at(t)
    while search.trials < most:
        if search.is_too_high(now) or (search.trials > 1 and now.value >= before.value):
            return search.between(at, before, now)
        if search.is_flat(now):
            return now, search.trials + 1
        if now.slope >= 0:
            return search.between(at, before, now)
        low, high = now.t + _LEAST * (now.t - before.t), now.t * _MOST
        before, now = now, at(_minimum(before, now, low, high))
        search.trials += 1
    return _sorted(start, now)[0], search.trials + 1


class _Search:
    """The conditions, and the search in an interval that has a minimum inside."""

    def __init__(self, start: Point, decrease: float, flatness: float, least: float, most: int) -> None:
        self.start, self.decrease, self.flatness, self.least, self.most = start, decrease, flatness, least, most
        self.trials = 0

    def is_too_high(self, point: Point) -> bool:
        """Whether it was not worth going so far."""
        return not point.value <= self.start.value + self.decrease * point.t * self.start.slope

    def is_flat(self, point: Point) -> bool:
        """Whether there is little to gain near by."""
        return abs(point.slope) <= -self.flatness * self.start.slope

    def between(self, at: Callable[[float], Point], one: Point, other: Point) -> tuple[Point, int]:
        """The point in an interval."""
        low, high = _sorted(one, other)
        poor = False
        while self.trials < self.most and abs(high.t - low.t) >= self.least:
            t, poor = _moved_inside(_minimum(low, high), low.t, high.t, poor=poor)
            now = at(t)
            self.trials += 1
            if self.is_too_high(now) or now.value >= low.value:
                low, high = _sorted(low, now)
            elif self.is_flat(now):
                return now, self.trials + 1
            else:
                low, high = now, low if now.slope * (high.t - low.t) >= 0 else high
        return low, self.trials + 1


def _sorted(one: Point, other: Point) -> tuple[Point, Point]:
    """The lower point first; the second is not the lower one where its value is not a number."""
    return (other, one) if other.value < one.value else (one, other)


def _moved_inside(t: float, one: float, other: float, *, poor: bool) -> tuple[float, bool]:
    """A trial away from the ends of the interval, where the one before was near them too; whether it is near."""
    low, high = min(one, other), max(one, other)
    margin = _CLOSER * (high - low)
    if min(high - t, t - low) >= margin:
        return t, False
    if not poor and low < t < high:
        return t, True
    return (high - margin if abs(t - high) < abs(t - low) else low + margin), False


def _minimum(one: Point, other: Point, low: float | None = None, high: float | None = None) -> float:
    """Where the cubic through two points with their slopes has its minimum, within bounds."""
    low = min(one.t, other.t) if low is None else low
    high = max(one.t, other.t) if high is None else high
    left, right = (one, other) if one.t <= other.t else (other, one)
    tilt = one.slope + other.slope - 3 * (one.value - other.value) / (one.t - other.t)
    square = tilt**2 - one.slope * other.slope
    if not square >= 0:
        return (low + high) / 2
    root = math.sqrt(square)
    slopes = right.slope - left.slope + 2 * root
    if slopes == 0:
        return (low + high) / 2
    return min(max(right.t - (right.t - left.t) * ((right.slope + root - tilt) / slopes), low), high)
