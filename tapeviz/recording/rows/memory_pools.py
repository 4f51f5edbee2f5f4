"""How full the memory pools of devices were, over time."""

from __future__ import annotations

import math
from collections.abc import Callable
from time import perf_counter
from typing import Any, Final

from tapeviz.recording.builder import Builder

__all__ = ["Pools"]

# A pool may have to count all that is in it, so it is asked less often the longer it takes: at most this part of the
# time goes to asking.
PART: Final = 1 / 20


class Pools:
    """Samples of devices' pools, of which each says something new. Devices are what they are elsewhere: backends.

    Args:
        clock: gives the time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        self._clock = clock
        self._due: dict[Any, float] = {}
        self._last: dict[Any, tuple[int, int]] = {}
        self._samples: list[tuple[str, float, int, int]] = []

    def look(self, device: Any) -> bool:
        """Take a sample, unless one was taken too shortly before. Whether the device has a pool."""
        began = self._clock()
        due = self._due.get(device, -math.inf)
        return due < math.inf if began < due else self._take(device, began)

    def look_again(self) -> None:
        """Take a sample of each device known to have a pool, as :meth:`look` does."""
        for device in self._last:
            self.look(device)

    def finish(self) -> None:
        """Take a last sample of each."""
        for device in self._last:
            self._take(device, self._clock())

    def _take(self, device: Any, began: float) -> bool:
        size = device.pool()
        if size is None:
            self._due[device] = math.inf
            return False
        if size != self._last.get(device):
            self._last[device] = size
            self._samples.append((device.name, began, *size))
        ended = self._clock()
        self._due[device] = ended + (ended - began) / PART
        return True

    def cut(self, time: float) -> None:
        """Forget samples from before a time, but for the last of each device."""
        stood = {name: sample for sample in self._samples if sample[1] < time for name in sample[:1]}
        self._samples = [*stood.values(), *(sample for sample in self._samples if sample[1] >= time)]

    def write(self, builder: Builder, row_of: Callable[[str], int], ns: Callable[[float], float]) -> None:
        """Make rows of the samples, with the row of each device and its time in ns, and forget them."""
        if samples := self._samples:
            self._samples = []
            names, times, used, total = zip(*samples, strict=True)
            rows, t = list(map(row_of, names)), list(map(ns, times))
            builder.extend("pools", {"device": rows, "t": t, "used": used, "total": total})
