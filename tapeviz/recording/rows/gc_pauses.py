"""When Python's garbage collector ran."""

from __future__ import annotations

import gc
from bisect import bisect_left
from functools import partial
from time import perf_counter

__all__ = ["Pauses"]


class Pauses:
    """The collector's runs, by two clock readings each.

    What it calls is made of C functions alone. An interrupt that arrives while the collector works is raised in the
    first Python code that runs then; were that a callback of the collector's, the interrupt would be lost, and an
    endless loop would go on.
    """

    def __init__(self) -> None:
        self.count: int = 0
        """How many there were of those that have been taken."""
        self.seconds: float = 0.0
        """How long those were."""
        self._starts: list[float] = []
        self._stops: list[float] = []
        # Each step of these reads the clock and appends what it says.
        start = partial(next, map(self._starts.append, iter(perf_counter, None)))
        stop = partial(next, map(self._stops.append, iter(perf_counter, None)))
        moments = type("Moments", (), {"start": property(start), "stop": property(stop)})
        # Called with "start" or "stop" and a dict, which getattr takes for a default.
        self._callback = partial(getattr, moments())

    def begin(self) -> None:
        """Listen from now on."""
        gc.callbacks.append(self._callback)

    def end(self) -> None:
        """Listen no more, if it was done."""
        if self._callback in gc.callbacks:
            gc.callbacks.remove(self._callback)

    def cut(self, time: float) -> None:
        """Forget those that began before a time."""
        self._drop_half()
        count = bisect_left(self._starts[: len(self._stops)], time)
        del self._starts[:count], self._stops[:count]

    def take(self) -> list[tuple[float, float]]:
        """What there was since the last time."""
        self._drop_half()
        count = len(self._stops)  # another thread may add to both meanwhile
        found = list(zip(self._starts[:count], self._stops[:count], strict=True))
        self.count += count
        self.seconds += sum(stop - start for start, stop in found)
        del self._starts[:count], self._stops[:count]
        return found

    def _drop_half(self) -> None:
        """Forget the end of a run that had begun, in another thread, before anybody listened."""
        stops = self._stops
        while stops and not (self._starts and self._starts[0] <= stops[0]):
            del stops[0]
