"""When ops ran on a device that works on its own: between marks that it passes after the op has returned."""

from __future__ import annotations

from time import perf_counter
from typing import Any

__all__ = ["DeviceTimes"]


class DeviceTimes:
    """Pairs of marks by the tensor that the work made, until the device has passed them.

    A device only says how far apart two marks are, so its first one is taken to be at the time of its launch.
    """

    def __init__(self) -> None:
        self._waiting: list[tuple[int, Any, Any, Any]] = []
        self._origins: dict[Any, tuple[Any, float]] = {}

    def add(self, number: int, device: Any, first: Any, second: Any) -> None:
        """The work that makes tensor ``number`` is between these marks of the device."""
        self._origins.setdefault(device, (first, perf_counter()))
        self._waiting.append((number, device, first, second))

    def cut(self, base: int) -> None:
        """Forget the work that makes tensors with numbers below this."""
        self._waiting = [entry for entry in self._waiting if entry[0] >= base]

    def take(self) -> list[tuple[int, float, float]]:
        """Number, beginning and duration (s) of the work that is done, which is then forgotten. Never waits."""
        waiting, self._waiting = self._waiting, []
        done = []
        for entry in waiting:
            number, device, first, second = entry
            took = device.seconds_between(first, second)
            if took is None:
                self._waiting.append(entry)
                continue
            origin, clock = self._origins[device]
            done.append((number, clock + device.seconds_between(origin, first), took))
        return done

    def finish(self) -> None:
        """Wait for the devices to pass the last mark of each: once, when the program is done."""
        for device, mark in {device: second for _, device, _, second in self._waiting}.items():
            device.wait(mark)
