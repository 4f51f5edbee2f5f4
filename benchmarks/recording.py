"""The chain and a training step of the tour's network while they are recorded, beside other libraries' unrecorded ones.

"Inside" is the time of the user's own lines while they are recorded; packing at the end of the block and statistics
are apart.
"""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any, Final

import tapeviz as tf
from benchmarks import chain, tour
from benchmarks.harness import Goal, Race, Row, Sample, call

__all__ = ["run"]

SUBJECT: Final = "recording"
_BLOCK: Final = 10  # chains in a recorded block: fewer rows than are packed at once
_STEPS: Final = 30


def _inside(work: Callable[[], Any], values: str, number: int) -> Sample:
    """Return a sample of the work's own time in a recorded block."""

    def sample() -> float:
        with tf.record(values=values):
            t0 = process_time()
            for _ in range(number):
                work()
            taken = process_time() - t0
        return taken / number

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
        "tour step, recorded, values none: inside": _inside(work, "none", _STEPS),
        "tour step, recorded, values stats: inside": _inside(work, "stats", _STEPS),
    }
    return Race(SUBJECT, ours, tour.peers()).run()


def run() -> list[Row]:
    """Run the races."""
    return [*_chain_rows(), *_step_rows()]
