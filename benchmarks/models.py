"""A training step of models of real size, recorded with the default settings: its time, and what is shown of it.

The time is that of the whole block, statistics included. Recorded and unrecorded steps take turns.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import Any, Final

import tapeviz as tf
from benchmarks.harness import Figure, Goal, clock
from tests.zoo.models import LARGE
from tests.zoo.ways import eager

__all__ = ["run"]

SUBJECT: Final = "models"
_ROUNDS: Final = 7
_LIMIT: Final = Goal(at_most=2.5)
_NONE: Final = Goal(at_most=0)


def run() -> list[Figure]:
    """Measure each model."""
    return [figure for name, make in LARGE.items() for figure in _figures(name, eager(make()))]


def _figures(name: str, step: Callable[[], Any]) -> list[Figure]:
    step()
    plain, whole, statistics = [], [], []
    for _ in range(_ROUNDS):
        t0 = clock()
        step()
        t1 = clock()
        with tf.record() as tape:
            step()
        whole.append(clock() - t1)
        plain.append(t1 - t0)
        recording = tape.recording
        statistics.append(recording.meta_dict()["overhead"]["stats_s"])
    shown = set(recording.stats.tensor.tolist())
    lacking = [number for number in recording.tensors.id.tolist() if number not in shown]
    times = f"{1e3 * median(plain):,.0f} ms without, {1e3 * median(whole):,.0f} ms with, statistics included"
    after = f"{1e3 * median(statistics):,.0f} ms of it after the step"
    return [
        Figure(SUBJECT, f"{name}: recorded / not", median(whole) / median(plain), "", _LIMIT, f"{times}; {after}"),
        Figure(SUBJECT, f"{name}: tensors without statistics", len(lacking), "", _NONE, f"of {len(shown):,}"),
    ]
