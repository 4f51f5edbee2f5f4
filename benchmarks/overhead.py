"""What recording adds inside a block, by clock, and what the recording's footer says it added.

Measured in a process of its own, in which no other library makes Python's collector slower. Recorded and unrecorded
blocks take turns, each right after the end of another recording, so that one is as cold as the other.
"""

from __future__ import annotations

import gc
import json
import statistics
import subprocess
import sys
from collections.abc import Callable
from time import process_time
from typing import Any, Final

import tapeviz as tf
from benchmarks import chain, tour
from benchmarks.harness import Figure, Goal

__all__ = ["run"]

SUBJECT: Final = "overhead"
_BLOCKS: Final = 150
_LONG_BLOCKS: Final = 25
_STEPS: Final = 30
_CHAINS: Final = 5
_LIMIT: Final = Goal(at_most=25)
_WITHIN: Final = Goal(at_least=0.8, at_most=1.2)
# Title, the work, how often in a block, how many blocks, and the goal for what is added.
_CASES: Final[list[tuple[str, str, int, int, Goal | None]]] = [
    ("tour step", "step", 1, _BLOCKS, _LIMIT),
    ("tour step with update", "update", 1, _BLOCKS, None),
    (f"tour step with update, {_STEPS} in a block", "update", _STEPS, _LONG_BLOCKS, None),
    (f"chain, {_CHAINS} in a block", "chain", _CHAINS, _LONG_BLOCKS, None),
]


def run() -> list[Figure]:
    """Measure in a new process."""
    code = "from benchmarks import overhead; overhead.measure()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    figures = []
    for found, (title, _, _, _, goal) in zip(json.loads(done.stdout), _CASES * 2, strict=True):
        name = f"{title}, values {found['values']}"
        times = f"{1e6 * found['plain']:,.0f} us without, {1e6 * found['inside']:,.0f} us with"
        told = found["told"] / found["added"]
        footer = f"the footer says {found['told']:.1%}"
        figures += [
            Figure(SUBJECT, f"{name}: added inside", 100 * found["added"], "%", goal, times),
            Figure(SUBJECT, f"{name}: footer / measured", told, "", goal and _WITHIN, footer),
        ]
        if found["values"] == "stats":
            note = "of the time without"
            figures.append(Figure(SUBJECT, f"{name}: statistics, afterwards", 100 * found["after"], "%", None, note))
    return figures


def measure() -> None:
    """Print what was found, as JSON, a case a line of the list."""
    works = {"step": tour.tape_step(tf), "update": tour.tape_step(tf, update=True), "chain": chain.tape_chain(tf)}
    found = [
        {"values": values, **_compared(works[work], values, number, blocks)}
        for values in ("none", "stats")
        for _, work, number, blocks, _ in _CASES
    ]
    print(json.dumps(found))


def _compared(work: Callable[[], Any], values: str, number: int, blocks: int) -> dict[str, float]:
    """Return medians: seconds of a block without and with recording, shares added, told and spent on statistics."""
    plain, inside, told, after = [], [], [], []
    gc.collect()
    for block in range(blocks + 5):
        with tf.record(values=values):
            work()
        with tf.record(values=values) as tape:
            taken = _seconds(work, number)
        overhead = tape.recording.meta_dict()["overhead"]
        with tf.record(values=values):
            work()
        without = _seconds(work, number)
        if block >= 5:  # noqa: PLR2004  # the first ones make what is made once
            inside.append(taken)
            plain.append(without)
            told.append(overhead["inside_s"])
            after.append(overhead["stats_s"])
    median = statistics.median
    return {
        "plain": median(plain),
        "inside": median(inside),
        "added": median(inside) / median(plain) - 1,
        "told": median(told) / (median(inside) - median(told)),
        "after": median(after) / median(plain),
    }


def _seconds(work: Callable[[], Any], number: int) -> float:
    t0 = process_time()
    for _ in range(number):
        work()
    return process_time() - t0
