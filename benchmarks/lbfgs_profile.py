"""Where eager iterations of l-BFGS on 60,000 pictures spend their time: in matrix products, or moving arrays.

    .venv-bench/bin/python -m benchmarks.lbfgs_profile

The products are timed by themselves, in memory that is there already. The system's time is the clearing of the pages
of new arrays, 188 MB each, where the process has given those before back (`TAPEVIZ_HOST_MEMORY_LIMIT=0` shows that).
What is left is the other ops' own. Writes benchmarks/results/lbfgs-profile.md.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, Final

import numpy as np

import tapeviz as tf
from benchmarks.environment import threads, threads_now
from benchmarks.lbfgs_steps import ours

PICTURES: Final = 60_000
PIXELS, HIDDEN = 784, 196
ROUNDS: Final = 7
FILE: Final = Path(__file__).parent / "results" / "lbfgs-profile.md"
TEXT: Final = """# Where an eager iteration of l-BFGS spends its time

The sparse autoencoder of 784-196-784 on 60,000 pictures, medians of {rounds} rounds of one iteration and the products
by themselves. Passes are copies of 188 MB, one for each large array that the other ops read or write. With one thread
seconds are the processor's, with two the wall's, of which the system's are a part. Written by
`python -m benchmarks.lbfgs_profile`.

| threads | history | seconds | matrix products (BLAS) | clearing pages (system) | passes | together |
|---|---|---|---|---|---|---|
"""


def seconds(work: Callable[[], Any]) -> tuple[float, float]:
    """Return the seconds of a piece of work, and those of the system: beside them, or as a part of the wall's."""
    before, began = resource.getrusage(resource.RUSAGE_SELF), perf_counter()
    work()
    wall, after = perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF)
    system = after.ru_stime - before.ru_stime
    return (after.ru_utime - before.ru_utime if threads_now() == 1 else wall - system), system


def products() -> Callable[[], None]:
    """Return what computes the products of one evaluation, their results in memory that is there."""
    rng = np.random.default_rng(1)
    x, hidden = rng.random((PICTURES, PIXELS), "f4"), rng.random((PICTURES, HIDDEN), "f4")
    w1, w2 = rng.random((PIXELS, HIDDEN), "f4"), rng.random((HIDDEN, PIXELS), "f4")
    error = x.copy()
    pairs = ((x, w1), (hidden, w2), (hidden.T, error), (error, w2.T), (x.T, hidden))
    made = [(one, other, np.dot(one, other)) for one, other in pairs]

    def work() -> None:
        for one, other, out in made:
            np.dot(one, other, out)

    return work


def passes() -> Callable[[], None]:
    """Return what reads and writes large arrays as often as the other ops of an evaluation do, and computes nothing.

    Bias, sigmoid, difference and square make one each; their gradients two, one, one.
    """
    source = np.ones((PICTURES, PIXELS), np.float32)
    target = source.copy()

    def work() -> None:
        for _ in range(8):
            np.copyto(target, source)

    return work


def row(history: int) -> str:
    """Return a line of the table."""
    work, multiply, move = ours(tf, PICTURES, history, traced=False), products(), passes()
    measured = []
    for number in range(ROUNDS + 1):
        iteration, alone, moving = seconds(work), seconds(multiply), seconds(move)
        if number:
            measured.append((*iteration, sum(alone), sum(moving)))
    user, system, blas, traffic = (median(part) for part in zip(*measured, strict=True))
    total = user + system
    shares = " | ".join(f"{part / total:.0%}" for part in (blas, system, traffic, blas + system + traffic))
    return f"| {threads_now()} | {history} | {total:.2f} | {shares} |"


def main() -> None:
    """Measure in a process for each number of threads, print and write the table."""
    rows = []
    for count in (1, 2):
        command = [sys.executable, "-m", "benchmarks.lbfgs_profile", "--rows"]
        rows.append(subprocess.check_output(command, env={**os.environ, **threads(count)}, text=True))
    text = TEXT.format(rounds=ROUNDS) + "".join(rows)
    FILE.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    if "--rows" in sys.argv:
        print("\n".join(map(row, (5, 100))))
    else:
        main()
