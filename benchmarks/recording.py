"""The chain and a training step of the tour's network while they are recorded, beside other libraries' unrecorded ones.

"Inside" is the time of the user's own lines while they are recorded; packing at the end of the block and statistics
are apart.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from time import process_time
from typing import Any, Final

import tapeviz as tf
from benchmarks import chain, tour
from benchmarks.harness import Figure, Goal, Race, Row, Sample, call, spread
from benchmarks.peers import load

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


def _added_figures() -> list[Figure]:
    """What recording the chain adds, as parts of the time of PyTorch's unrecorded one, round by round."""
    work, library = chain.tape_chain(tf), load("torch")
    if library is None:
        return []
    contenders = {
        "plain": call(work), "inside": _inside(work, "none", _BLOCK), "packed": _whole(work, "none", _BLOCK),
        "summarised": _whole(work, "stats", _BLOCK),
    }  # fmt: skip
    theirs = chain.torch_chain(library)
    times = Race(SUBJECT, contenders, {"torch": call(theirs), "profiled": _profiled(theirs)}).measure()

    def figure(title: str, most: float | None, more: str, less: str) -> Figure:
        shares = [(a - b) / c for a, b, c in zip(times[more], times[less], times["torch"], strict=True)]
        found = spread(shares)
        note = f"quartiles {found.low:.2f} to {found.high:.2f}"
        goal = None if most is None else Goal(at_most=most)
        return Figure(SUBJECT, f"chain, {title}", found.median, "of torch's chain", goal, note)

    return [
        figure("added inside", 0.25, "inside", "plain"),
        figure("added by packing", 0.45, "packed", "inside"),
        figure("added by statistics", 1.4, "summarised", "packed"),
        figure("added by torch.profiler to torch's", None, "profiled", "torch"),
    ]


def _profiled(work: Callable[[], Any]) -> Sample:
    """Return a sample of the chain of PyTorch in a block of its profiler."""
    profiler: Any = import_module("torch.profiler")

    def sample() -> float:
        t0 = process_time()
        with profiler.profile(activities=[profiler.ProfilerActivity.CPU]):
            for _ in range(_BLOCK):
                work()
        return (process_time() - t0) / _BLOCK

    return sample


def _step_rows() -> list[Row]:
    work = tour.tape_step(tf)
    ours = {
        "tour step, not recorded": call(work),
        "tour step, recorded, values none: inside": _inside(work, "none", _STEPS),
        "tour step, recorded, values stats: inside": _inside(work, "stats", _STEPS),
    }
    return Race(SUBJECT, ours, tour.peers()).run()


def run() -> list[Row | Figure]:
    """Run the races."""
    return [*_chain_rows(), *_added_figures(), *_step_rows()]
