"""Stretches of time with a name, nested: what was going on when an event happened."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping
from operator import itemgetter
from time import perf_counter
from typing import Any, TypeVar

import numpy as np

__all__ = ["Span", "Spans"]


class Span:
    """A scope, a module's call, a backward pass, a cell."""

    __slots__ = ("backward", "event", "extra", "kind", "name", "outer", "site", "t0")

    def __init__(self, kind: str, name: str, site: Any, outer: Span | None, extra: Mapping[str, Any]) -> None:
        self.kind: str = kind
        self.name: str = name
        self.site: Any = site
        self.outer: Span | None = outer
        self.extra: Mapping[str, Any] = extra
        self.t0: float = perf_counter()
        self.event: int = -1  # numbered when packed
        self.backward: bool = kind == "backward" or (outer is not None and outer.backward)


S = TypeVar("S", bound=Span)


class Spans:
    """The spans of one thread, and which of them was innermost at any time."""

    def __init__(self) -> None:
        self.innermost: Span | None = None
        self.begun: list[Span] = []
        self.ended: list[tuple[Span, float, BaseException | None]] = []
        self._changes: list[tuple[float, Span | None]] = [(-math.inf, None)]
        self._known: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None

    def begin(self, kind: str, name: str, site: Any, extra: Mapping[str, Any]) -> Span:
        """Open a span inside the innermost one."""
        return self.enter(Span(kind, name, site, self.innermost, extra))

    def enter(self, span: S) -> S:
        """Open this span, made inside the innermost one."""
        self.begun.append(span)
        self.innermost = span
        self._changes.append((span.t0, span))
        return span

    def end(self, span: Span, error: BaseException | None) -> None:
        """Close a span."""
        t = perf_counter()
        self.innermost = span.outer
        self._changes.append((t, span.outer))
        self.ended.append((span, t, error))

    def at(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The innermost span at each time (seconds): its event, -1 for none, and whether it is of a backward pass."""
        changes, events, backward = self._columns()
        position = np.maximum(np.searchsorted(changes, times, side="right") - 1, 0)
        return events[position], backward[position]

    def _columns(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The changes as columns, made once a pack: by then the spans have their events."""
        known = self._known
        if known is None or len(known[0]) != len(self._changes):
            inside = [span for _, span in self._changes]
            known = self._known = (
                np.array([t for t, _ in self._changes]),
                np.array([-1 if span is None else span.event for span in inside], "i4"),
                np.array([span is not None and span.backward for span in inside]),
            )
        return known

    def depths(self, times: np.ndarray) -> np.ndarray:
        """In how many spans each time is, -1 in a backward pass."""
        changes = np.array([t for t, _ in self._changes])
        depths = np.array([_depth(span) for _, span in self._changes])
        found: np.ndarray = depths[np.maximum(np.searchsorted(changes, times, side="left") - 1, 0)]
        return found

    def cut(self, time: float) -> set[int]:
        """Forget spans that began before a time, but for those that it is in: their identities."""
        at = bisect_left(self._changes, time, key=itemgetter(0))
        inside = span = self._changes[at - 1][1]
        around = set()
        while span is not None:
            around.add(id(span))
            span = span.outer
        self.begun = [span for span in self.begun if span.t0 >= time or id(span) in around]
        self.ended = [row for row in self.ended if row[0].t0 >= time or id(row[0]) in around]
        self._changes = [(-math.inf, inside), *self._changes[at:]]
        self._known = None
        return around

    def forget(self) -> None:
        """Drop what was packed."""
        self.begun, self.ended = [], []
        self._changes = self._changes[-1:]
        self._known = None


def _depth(span: Span | None) -> int:
    if span is not None and span.backward:
        return -1
    depth = 0
    while span is not None:
        span, depth = span.outer, depth + 1
    return depth
