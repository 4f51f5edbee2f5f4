"""Training: a convolutional model on pictures, linear regression, and l-BFGS on a sparse autoencoder.

Beside each median stands the 99th percentile of single steps, which shows what Python's garbage collector does.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import numpy as np

import tapeviz as tf
from benchmarks import lbfgs_steps, training_steps
from benchmarks.harness import Figure, Goal, Race, Row, Sample, call, clock

__all__ = ["run"]

SUBJECT: Final = "training"
_EAGER: Final = ("torch", "tensorflow")
_SETTINGS: Final = ((60_000, 5), (60_000, 100), (10_000, 100))
_SINGLE: Final = 1000
_SECONDS: Final = 2.0  # for the single steps of each contender
_ROUNDS: Final = 3
_LINE: Final = {
    ", eager": Goal(at_most=1.0, against="torch"),
    ", graph": Goal(at_most=1.0, against="tf.function"),
}

Work = Callable[[], Any]


def run() -> list[Row | Figure]:
    """Run the races; with each, how long the slowest steps take."""
    rows: list[Row | Figure] = []
    rows += _steps(
        "convolutional model, a step", training_steps.convolutional, training_steps.convolutional_peers(), {}
    )
    line = training_steps.regression, training_steps.regression_peers()
    rows += _steps("linear regression, a step", *line, _LINE)
    for count, history in _SETTINGS:
        rows += _iterations(count, history)
    return rows


def _steps(
    title: str, make: Callable[[Any], Work], peers: dict[str, Work], goals: dict[str, Goal]
) -> list[Row | Figure]:
    """Race eagerly and as a graph."""
    ours = {f"{title}, eager": make(tf), f"{title}, graph": tf.function(make(tf))}
    possible = {f"{title}{way}": goal for way, goal in goals.items() if goal.against in peers}
    race = Race(SUBJECT, _sampled(ours, call), _sampled(peers, call), possible)
    return [*race.run(), *_slowest(ours, peers)]


def _sampled(works: dict[str, Work], sample: Callable[[Work], Sample]) -> dict[str, Sample]:
    return {name: sample(work) for name, work in works.items()}


def _iterations(count: int, history: int) -> list[Row | Figure]:
    """Race iterations of l-BFGS, each of which takes seconds."""
    title = f"l-BFGS on an autoencoder, {count:,} pictures, history {history}"
    ours = {
        f"{title}, eager": lbfgs_steps.ours(tf, count, history, traced=False),
        f"{title}, graph": lbfgs_steps.ours(tf, count, history, traced=True),
    }
    peers = lbfgs_steps.others(count, history)
    race = Race(SUBJECT, _sampled(ours, _once), _sampled(peers, _once))
    rows = race.run(_ROUNDS, _ROUNDS, warm_up=1)
    eager = [name for name in _EAGER if name in peers]
    if not eager:
        return list(rows)
    fastest = min(eager, key=lambda name: rows[0].peers[name].median)
    raced = [replace(row, goal=Goal(at_most=1.0, against=fastest)) for row in rows]
    return [*raced, _products(title, count, rows[0].time.median)]


def _products(title: str, count: int, iteration: float) -> Figure:
    """What share of an iteration its five matrix products alone take; nearly all else is passes over large arrays."""
    taken = lbfgs_steps.products(count)
    note = f"of {iteration:.2f} s; the rest goes over arrays of {lbfgs_steps.megabytes(count):.0f} MB"
    return Figure(SUBJECT, f"{title}, eager: share of matrix products", 100 * taken / iteration, "%", note=note)


def _once(work: Work) -> Sample:
    """Return a sample of one call."""

    def sample() -> float:
        begin = clock()
        work()
        return clock() - begin

    return sample


def _slowest(ours: dict[str, Work], peers: dict[str, Work]) -> list[Figure]:
    """Return the 99th percentile of single steps, with the collector on as in a program."""
    gc.enable()
    said = {name: _percentiles(work) for name, work in {**ours, **peers}.items()}
    theirs = ", ".join(f"{name} {said[name][1]:.3g}" for name in peers)
    notes = {title: f"median {said[title][0]:.3g}; {theirs}" for title in ours}
    return [Figure(SUBJECT, f"{title}: 99th percentile", said[title][1], "us", note=notes[title]) for title in ours]


def _percentiles(work: Work) -> tuple[float, float]:
    """Return the median and the 99th percentile of single calls, in microseconds."""
    taken: list[float] = []
    end = time.monotonic() + _SECONDS
    while len(taken) < _SINGLE and time.monotonic() < end:
        begin = clock()
        work()
        taken.append(1e6 * (clock() - begin))
    return float(np.median(taken)), float(np.percentile(taken, 99))
