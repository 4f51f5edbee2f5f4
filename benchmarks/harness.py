"""Measuring beside others: every contender once in every round, so that what the machine does meanwhile hits all alike.

A *race* is one piece of work in several libraries. A round times each contender once, in an order that turns from round
to round. The figure of a row is the median over the rounds of *our time / their time*: a ratio of two neighbours in
time, which a busy machine moves far less than it moves either. Rounds are added while the ratios scatter.

Time is the processor's (of the whole process, all threads), not the wall's: on a machine with nothing else to do they
agree, as each library has one thread; on a shared one the wall's would measure the neighbours. Where libraries have
several threads, only the wall's says what these are good for.
"""

from __future__ import annotations

import statistics
import time
import timeit
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from benchmarks.environment import threads_now

__all__ = ["Figure", "Goal", "Race", "Row", "Spread", "call", "clock", "spread", "statement"]

Sample = Callable[[], float]
"""Runs the work and returns the seconds that one unit of it took."""

ROUNDS: Final = 30
MOST_ROUNDS: Final = 120
clock: Final = time.perf_counter if threads_now() > 1 else time.process_time
_SCATTER: Final = 0.06  # quartile distance of the ratios, relative to their median, with which a race may end
# Long enough that what is measured is work in a row, as in a training loop, and not what the contender before has left
# in the caches.
_SAMPLE_SECONDS: Final = 0.02
_WARM_UP: Final = 3
_MOST_SECONDS: Final = 40.0  # by the wall, beyond which rounds are no longer added


@dataclass(frozen=True)
class Spread:
    """Median, quartiles and smallest of a number of measurements."""

    median: float
    low: float
    high: float
    least: float


def spread(values: Iterable[float]) -> Spread:
    """Summarise measurements."""
    listed = sorted(values)
    if len(listed) == 1:
        return Spread(listed[0], listed[0], listed[0], listed[0])
    low, median, high = statistics.quantiles(listed, n=4, method="inclusive")
    return Spread(median, low, high, listed[0])


@dataclass(frozen=True)
class Goal:
    """What a figure should be: at most or at least a limit, or between two."""

    at_most: float | None = None
    at_least: float | None = None
    against: str = ""
    """For a race: the contender whose ratio is meant."""

    def met(self, value: float) -> bool:
        """Tell whether a figure meets the goal."""
        return (self.at_most is None or value <= self.at_most) and (self.at_least is None or value >= self.at_least)


@dataclass(frozen=True)
class Row:
    """The outcome of one of our contenders in a race."""

    subject: str
    title: str
    time: Spread
    ratios: dict[str, Spread]
    peers: dict[str, Spread]
    rounds: int
    goal: Goal | None = None

    @property
    def met(self) -> bool | None:
        """Whether the goal is met, None without one."""
        return None if self.goal is None else self.goal.met(self.ratios[self.goal.against].median)


@dataclass(frozen=True)
class Figure:
    """A number that is not a race: bytes, rates, shares."""

    subject: str
    title: str
    value: float
    unit: str
    goal: Goal | None = None
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the goal is met, None without one."""
        return None if self.goal is None else self.goal.met(self.value)


def statement(code: str, scope: Mapping[str, Any], setup: str = "") -> Sample:
    """Return a sample of a statement, repeated as often as fills a few milliseconds; Python's collector stays on."""
    timer = timeit.Timer(code, f"import gc; gc.enable(); {setup}", clock, dict(scope))
    timer.timeit(_WARM_UP)  # what is made on first use is made now
    number = 1
    while (taken := timer.timeit(number)) < _SAMPLE_SECONDS / 4:
        number *= 4
    number = max(1, round(number * _SAMPLE_SECONDS / taken))
    return lambda: timer.timeit(number) / number


def call(work: Callable[[], Any]) -> Sample:
    """Return a sample of calling a function."""
    return statement("work()", {"work": work})


@dataclass
class Race:
    """One piece of work in several libraries.

    Args:
        subject: the file it belongs to.
        ours: our contenders by the title of their row.
        peers: the others by library.
        goals: by the title of our contender.
    """

    subject: str
    ours: dict[str, Sample]
    peers: dict[str, Sample]
    goals: Mapping[str, Goal] = field(default_factory=dict)

    def run(self, rounds: int = ROUNDS, most: int = MOST_ROUNDS, warm_up: int = _WARM_UP) -> list[Row]:
        """Run it; one row for each of ours."""
        times = self.measure(rounds, most, warm_up)
        return [self._row(title, times) for title in self.ours]

    def measure(
        self, rounds: int = ROUNDS, most: int = MOST_ROUNDS, warm_up: int = _WARM_UP
    ) -> dict[str, list[float]]:  # fmt: skip
        """Run it; the times of each contender, by rounds."""
        samples = {**self.ours, **self.peers}
        for sample in samples.values():
            for _ in range(warm_up):
                sample()
        times: dict[str, list[float]] = {name: [] for name in samples}
        names = list(samples)
        done = 0
        end = time.monotonic() + _MOST_SECONDS
        while done < rounds or (done < most and time.monotonic() < end and self._scatter(times) > _SCATTER):
            for at in range(len(names)):
                name = names[(at + done) % len(names)]
                times[name].append(samples[name]())
            done += 1
        return times

    def _scatter(self, times: dict[str, list[float]]) -> float:
        """How far the ratios scatter that goals are about, all of them where there is no goal."""
        pairs = [(title, goal.against) for title, goal in self.goals.items()]
        pairs = pairs or [(title, peer) for title in self.ours for peer in self.peers]
        found = [spread(_ratios(times[title], times[peer])) for title, peer in pairs]
        return max(((ratio.high - ratio.low) / ratio.median for ratio in found), default=0.0)

    def _row(self, title: str, times: dict[str, list[float]]) -> Row:
        ratios = {name: spread(_ratios(times[title], times[name])) for name in times if name != title}
        shown = {name: ratio for name, ratio in ratios.items() if name in self.peers or self._is_against(title, name)}
        peers = {name: spread(times[name]) for name in self.peers}
        time = spread(times[title])
        return Row(self.subject, title, time, shown, peers, len(times[title]), self.goals.get(title))

    def _is_against(self, title: str, name: str) -> bool:
        goal = self.goals.get(title)
        return goal is not None and goal.against == name


def _ratios(ours: list[float], theirs: list[float]) -> list[float]:
    return [a / b for a, b in zip(ours, theirs, strict=True)]
