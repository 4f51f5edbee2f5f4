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
_NO_LONGER: Final = Goal(at_most=1)
_NONE: Final = Goal(at_most=0)


def run() -> list[Figure]:
    """Measure each model."""
    return [figure for name, make in LARGE.items() for figure in _figures(name, eager(make()))]


def _figures(name: str, step: Callable[[], Any]) -> list[Figure]:
    step()
    plain, whole, statistics, after = [], [], [], []
    for _ in range(_ROUNDS):
        t0 = clock()
        step()
        t1 = clock()
        block = tf.record()
        with block as tape:
            step()
        whole.append(clock() - t1)
        plain.append(t1 - t0)
        recording = tape.recording
        overhead = recording.meta_dict()["overhead"]
        inside = block._recorder.summarising  # noqa: SLF001 - the recording tells only the rest
        statistics.append(inside + overhead["stats_s"])
        after.append(overhead["stats_s"])
    shown = set(recording.stats.tensor.tolist())
    lacking = [number for number in recording.tensors.id.tolist() if number not in shown]
    times = f"{1e3 * median(plain):,.0f} ms without, {1e3 * median(whole):,.0f} ms with, statistics included"
    part = f"{1e3 * median(statistics):,.0f} ms, {1e3 * median(after):,.0f} ms of them after the step"
    return [
        Figure(SUBJECT, f"{name}: recorded / not", median(whole) / median(plain), "", _LIMIT, times),
        Figure(SUBJECT, f"{name}: statistics / step", median(statistics) / median(plain), "", _NO_LONGER, part),
        Figure(SUBJECT, f"{name}: tensors without statistics", len(lacking), "", _NONE, f"of {len(shown):,}"),
    ]
