"""What recording adds: to the chain, and to one training step of the tour's network.

"Inside" is the time of the user's own lines while they are recorded; packing at the end of the block and statistics
are apart. The figures that a recording's footer shows are compared with what is measured here.
"""

from __future__ import annotations

import gc
import statistics
from collections.abc import Callable
from time import process_time
from typing import Any, Final

import tapeviz as tf
from benchmarks import chain, tour
from benchmarks.harness import Figure, Goal, Race, Row, Sample, call

__all__ = ["run"]

SUBJECT: Final = "recording"
_BLOCK: Final = 10  # chains in a recorded block: fewer rows than are packed at once
_STEPS: Final = 60
_ROUNDS: Final = 15
_WITHIN: Final = Goal(at_least=0.8, at_most=1.2)


def _inside(work: Callable[[], Any], values: str, number: int, blocks: int = 1) -> Sample:
    """Return a sample of the work's own time in recorded blocks."""

    def sample() -> float:
        taken = 0.0
        for _ in range(blocks):
            with tf.record(values=values):
                t0 = process_time()
                for _ in range(number):
                    work()
                taken += process_time() - t0
        return taken / number / blocks

    return sample


def _whole(work: Callable[[], Any], values: str, number: int) -> Sample:
    """Return a sample of the whole block: work, packing and statistics."""

    def sample() -> float:
        t0 = process_time()
        with tf.record(values=values):
            for _ in range(number):
                work()
        return (process_time() - t0) / number

    return sample


def _chain_rows() -> list[Row]:
    work = chain.tape_chain(tf)
    ours = {
        "chain, recorded, values none: inside": _inside(work, "none", _BLOCK),
        "chain, recorded, values stats: inside": _inside(work, "stats", _BLOCK),
        "chain, recorded, values none: with packing": _whole(work, "none", _BLOCK),
        "chain, recorded, values stats: with packing and statistics": _whole(work, "stats", _BLOCK),
    }
    others = chain.peers()
    goals = {next(iter(ours)): Goal(at_most=1.0, against="torch")} if "torch" in others else {}
    return Race(SUBJECT, ours, others, goals).run()


def _step_rows() -> list[Row]:
    work = tour.tape_step(tf)
    ours = {
        "tour step, not recorded": call(work),
        "tour step, recorded, values none: inside": _inside(work, "none", 1, _BLOCK),
        "tour step, recorded, values stats: inside": _inside(work, "stats", 1, _BLOCK),
    }
    return Race(SUBJECT, ours, tour.peers()).run()


def _compared(work: Callable[[], Any], values: str, number: int, blocks: int) -> tuple[float, float, float]:
    """Return shares of the unrecorded time: what recording adds, measured and told by the footer, and statistics.

    Each recorded block has an unrecorded one right before and right after it.
    """
    measured, told, after = [], [], []
    for _ in range(blocks):
        before = _plain(work, number)
        with tf.record(values=values) as tape:
            t0 = process_time()
            for _ in range(number):
                work()
            inside = process_time() - t0
        plain = (before + _plain(work, number)) / 2
        overhead = tape.recording.meta_dict()["overhead"]
        measured.append(inside / plain - 1)
        told.append(overhead["inside_s"] / (inside - overhead["inside_s"]))
        after.append(overhead["stats_s"] / plain)
    return statistics.median(measured), statistics.median(told), statistics.median(after)


def _plain(work: Callable[[], Any], number: int) -> float:
    t0 = process_time()
    for _ in range(number):
        work()
    return process_time() - t0


def _shares(title: str, work: Callable[[], Any], number: int, blocks: int, most: float | None) -> list[Figure]:
    figures = []
    for values in ("none", "stats"):
        for _ in range(3):
            _compared(work, values, number, 2)
        gc.collect()
        measured, told, after = _compared(work, values, number, blocks)
        name = f"{title}, values {values}"
        goal = None if most is None else Goal(at_most=100 * most)
        figures += [
            Figure(SUBJECT, f"{name}: added inside", 100 * measured, "%", goal),
            Figure(SUBJECT, f"{name}: footer's figure / measured", told / measured, "", _WITHIN, f"it says {told:.1%}"),
        ]
        if values == "stats":
            note = "of the time without"
            figures.append(Figure(SUBJECT, f"{name}: statistics, afterwards", 100 * after, "%", None, note))
    return figures


def run() -> list[Row | Figure]:
    """Run the races, then compare footers with what was measured."""
    return [
        *_chain_rows(),
        *_step_rows(),
        *_shares("tour step", tour.tape_step(tf), 1, _STEPS, 0.25),
        *_shares("tour step with update", tour.tape_step(tf, update=True), 1, _STEPS, 0.25),
        *_shares("chain", chain.tape_chain(tf), 5, _ROUNDS, None),
    ]
